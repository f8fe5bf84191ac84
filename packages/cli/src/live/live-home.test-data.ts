import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Io } from '../command/io.ts'
import { main } from '../main.ts'

/** What one command said, and how it ended. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
  json<T>(): T
}

/** A command that goes on until it is told to stop. */
export interface Going {
  readonly said: { out: string; err: string }
  readonly ended: Promise<Ended>
  stop(): Promise<Ended>
}

/** A home with a folder of state, near enough to the root for the path of a socket. */
export class LiveHome implements Disposable {
  readonly path = mkdtempSync(join(process.platform === 'win32' ? tmpdir() : '/tmp', 'rl-'))
  readonly state = join(this.path, 's')

  put(name: string, text: string, mode = 0o644): string {
    const file = join(this.path, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }

  /** Runs a command line to its end. */
  remora(words: readonly string[], more: Partial<Io> = {}): Promise<Ended> {
    return this.begin(words, more).ended
  }

  /** Starts a command line that may go on. */
  begin(words: readonly string[], more: Partial<Io> = {}): Going {
    const controller = new AbortController()
    const said = { out: '', err: '' }
    const env = { PATH: join(this.path, 'bin'), HOME: this.path, REMORA_HOME: this.state, ...more.env }
    const ended = main(words, {
      cwd: this.path,
      home: this.path,
      platform: 'linux',
      terminal: false,
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      stopped: () => controller.signal,
      ...more,
      env,
    }).then((code) => ({ code, ...said, json: <T>() => JSON.parse(said.out) as T }))
    return {
      said,
      ended,
      stop: () => {
        controller.abort('SIGINT')
        return ended
      },
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
