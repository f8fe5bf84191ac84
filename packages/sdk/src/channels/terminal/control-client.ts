import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { RemoraError } from '@remora/protocol/plain'
import { ControlParser } from './control-parser.ts'
import { onceClosed } from './once-closed.ts'
import {
  getBaseArguments,
  checkSocket,
  createStartError,
  getTmuxEnvironment,
  createTmuxError,
} from './run-tmux.ts'
import { formatCommand } from './tmux-command.ts'

export interface ControlOptions {
  readonly socket: string
  /** A session, window or pane. */
  readonly target: string
  /** The pane whose output is wanted. */
  readonly pane: string
  readonly onOutput: (bytes: Buffer) => void
  readonly onNotice: (name: string, rest: string) => void
}

/** Commands that tmux runs as one, with nothing in between. */
export interface Batch {
  readonly commands: readonly (readonly string[])[]
  /** The number of answers; by default one for each command. */
  readonly answers?: number
  /** The number of lines of the next answer, for answers whose text may look like the protocol. */
  readonly lines?: (answers: readonly string[][]) => number | undefined
  /** Called with the answers before any later output is read; a promise would be too late. */
  readonly seen?: (answers: string[][]) => void
}

interface Pending {
  readonly batch: Batch
  readonly answers: string[][]
  readonly resolve: (answers: string[][]) => void
  readonly reject: (error: RemoraError) => void
  readonly timer: NodeJS.Timeout
}

/** If this client is so many seconds behind, tmux stops sending output, and the screen is captured again. */
const pauseAfterSeconds = 2
const timeoutMs = 20_000

/**
 * One `tmux -C` client. It never changes the size of a window, nor the environment of the session.
 *
 * @example
 * const client = await ControlClient.attach({ socket, target: '%1', pane: '%1', onOutput, onNotice })
 * const [[width]] = await client.run(['display-message', '-p', '#{pane_width}'])
 */
export class ControlClient {
  /** The reason why it ended; never rejects. */
  readonly ended: Promise<string>
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #pending: Pending[] = []
  #reason: string | undefined
  #ready: { resolve: () => void; reject: (error: Error) => void } | undefined
  #greeting = ''

  private constructor(options: ControlOptions) {
    const { socket, target, pane, onOutput, onNotice } = options
    const flags = `ignore-size,pause-after=${pauseAfterSeconds}`
    this.#child = spawn(
      'tmux',
      // -E: do not copy our environment into the session.
      [...getBaseArguments(socket), '-C', 'attach-session', '-E', '-f', flags, '-t', target],
      // In a process group of its own, so that Ctrl+C does not reach it. It ends when its stdin closes.
      { env: getTmuxEnvironment(), stdio: ['pipe', 'pipe', 'pipe'], detached: true },
    )
    const parser = new ControlParser(
      {
        begin: (from) => (from === '0' ? undefined : this.#begin()),
        reply: (from, ok, lines) => this.#reply(from, ok, lines),
        output: (_, bytes) => onOutput(bytes),
        notice: (name, rest) => {
          if (name === 'exit') this.#reason ??= rest || 'tmux let us go'
          onNotice(name, rest)
        },
      },
      pane,
    )
    this.#child.stdout.on('data', (chunk: Buffer) => {
      try {
        parser.push(chunk)
      } catch (error) {
        this.#reason ??= (error as Error).message
        this.#child.kill('SIGKILL')
      }
    })
    this.#child.stderr.on(
      'data',
      (chunk: Buffer) => (this.#greeting += chunk.toString('utf8').slice(0, 1000)),
    )
    this.#child.stdin.on('error', () => {})
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#ready?.reject(createStartError(error))
        this.#finish(error.message)
        resolve(error.message)
      })
      onceClosed(this.#child, () => {
        const reason = this.#reason ?? (this.#greeting.trim() || 'tmux ended')
        this.#ready?.reject(createTmuxError(reason))
        this.#finish(reason)
        resolve(reason)
      })
    })
  }

  static async attach(options: ControlOptions): Promise<ControlClient> {
    checkSocket(options.socket)
    const client = new ControlClient(options)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        client.kill()
        reject(new RemoraError('timeout_startup', 'tmux does not answer'))
      }, timeoutMs)
      client.#ready = {
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
        reject: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
    })
    return client
  }

  /** Whether it accepts no more commands. */
  get over(): boolean {
    return this.#reason !== undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Runs one command and returns its lines. @example await client.run('send-keys', '-t', '%1', 'Enter') */
  async run(...args: readonly string[]): Promise<string[]> {
    const [lines] = await this.batch({ commands: [args] })
    return lines!
  }

  /** Runs several commands as one. After the first that fails, the others are not run. */
  batch(batch: Batch): Promise<string[][]> {
    return new Promise((resolve, reject) => {
      if (this.over) {
        reject(createTmuxError(this.#reason ?? 'no server running'))
        return
      }
      const timer = setTimeout(() => {
        // Answers have no ids but their order, so no later answer could be assigned.
        this.#reason ??= 'tmux does not answer'
        this.kill()
      }, timeoutMs)
      timer.unref()
      this.#pending.push({ batch, answers: [], resolve, reject, timer })
      this.#child.stdin.write(`${batch.commands.map(formatCommand).join(' ; ')}\n`)
    })
  }

  /** Stops reading; tmux waits, and drops output after a while. */
  pause(): void {
    this.#child.stdout.pause()
  }

  resume(): void {
    this.#child.stdout.resume()
  }

  async close(): Promise<void> {
    this.#reason ??= 'detached'
    this.#child.stdin.end()
    this.#child.stdout.resume()
    const timer = setTimeout(() => this.kill(), 1_000)
    await this.ended
    clearTimeout(timer)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #begin(): number | undefined {
    const [first] = this.#pending
    return first?.batch.lines?.(first.answers)
  }

  #reply(flags: string, ok: boolean, lines: string[]): void {
    // Not an answer to a command of ours: the attach itself, or a hook of the user.
    if (flags === '0') {
      if (ok) this.#ready?.resolve()
      else this.#ready?.reject(createTmuxError(lines.join('\n')))
      return
    }
    const [first] = this.#pending
    if (!first) return
    if (!ok) {
      this.#shift()?.reject(createTmuxError(lines.join('\n')))
      return
    }
    first.answers.push(lines)
    if (first.answers.length === (first.batch.answers ?? first.batch.commands.length)) {
      this.#shift()
      first.batch.seen?.(first.answers)
      first.resolve(first.answers)
    }
  }

  #shift(): Pending | undefined {
    const first = this.#pending.shift()
    clearTimeout(first?.timer)
    return first
  }

  #finish(reason: string): void {
    this.#reason ??= reason
    for (let first = this.#shift(); first; first = this.#shift()) first.reject(createTmuxError(reason))
  }
}
