import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Io } from '../command/io.ts'
import { main } from '../main.ts'

/** The output of a command, and its exit code. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
  json<T>(): T
}

/** A command that runs until it is stopped. */
export interface RunningCommand {
  readonly printed: { out: string; err: string }
  readonly ended: Promise<Ended>
  stop(): Promise<Ended>
}

/** Waits until a server prints that it is listening. */
export async function untilListening({ printed }: RunningCommand): Promise<void> {
  await expect.poll(() => printed.out + printed.err, { timeout: 60_000 }).toMatch(/Log:|remora: /)
  expect(printed.err).toBe('')
}

/** A home with a state folder, in a short path because the path of a socket has a limit. */
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

  /** Runs a command line until it exits. */
  remora(words: readonly string[], more: Partial<Io> = {}): Promise<Ended> {
    return this.start(words, more).ended
  }

  /** Starts a command line that may keep running. */
  start(words: readonly string[], more: Partial<Io> = {}): RunningCommand {
    const controller = new AbortController()
    const printed = { out: '', err: '' }
    const env = { PATH: join(this.path, 'bin'), HOME: this.path, REMORA_HOME: this.state, ...more.env }
    const ended = main(words, {
      cwd: this.path,
      home: this.path,
      platform: 'linux',
      terminal: false,
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
      stopped: () => controller.signal,
      ...more,
      env,
    }).then((code) => ({ code, ...printed, json: <T>() => JSON.parse(printed.out) as T }))
    return {
      printed,
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
