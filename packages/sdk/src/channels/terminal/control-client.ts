import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { RemoraError } from '@remora/protocol/plain'
import { ControlParser } from './control-parser.ts'
import { onceClosed } from './once-closed.ts'
import { baseArguments, checkSocket, startError, tmuxEnvironment, tmuxError } from './run-tmux.ts'
import { command } from './tmux-words.ts'

export interface ControlOptions {
  readonly socket: string
  /** A session, window or pane. */
  readonly target: string
  /** The pane whose output is wanted. */
  readonly pane: string
  readonly onOutput: (bytes: Buffer) => void
  readonly onNotice: (name: string, rest: string) => void
}

/** Commands that tmux takes in one go, with nothing between them. */
export interface Batch {
  readonly commands: readonly (readonly string[])[]
  /** How many answers come: as many as commands, if it is not said. */
  readonly answers?: number
  /** How many lines the next answer has, by those that came before; for answers that may hold anything. */
  readonly lines?: (answers: readonly string[][]) => number | undefined
  /** Called with the answers before anything is read that tmux told after them; a promise would be too late. */
  readonly seen?: (answers: string[][]) => void
}

interface Pending {
  readonly batch: Batch
  readonly answers: string[][]
  readonly resolve: (answers: string[][]) => void
  readonly reject: (error: RemoraError) => void
  readonly timer: NodeJS.Timeout
}

/** After so many seconds behind, tmux stops telling us and lets the program go on; we look at the screen anew then. */
const pauseAfterSeconds = 2
const patienceMs = 20_000

/**
 * One `tmux -C` client. It never changes the size of a window, nor the environment of the session.
 *
 * @example
 * const client = await ControlClient.attach({ socket, target: '%1', pane: '%1', onOutput, onNotice })
 * const [[width]] = await client.run(['display-message', '-p', '#{pane_width}'])
 */
export class ControlClient {
  /** Why it ended; never rejects. */
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
      // -E: the variables of our environment are not put into the session.
      [...baseArguments(socket), '-C', 'attach-session', '-E', '-f', flags, '-t', target],
      // In a group of its own: Ctrl+C in our terminal is not meant for it. It ends with us, when its input closes.
      { env: tmuxEnvironment(), stdio: ['pipe', 'pipe', 'pipe'], detached: true },
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
        this.#ready?.reject(startError(error))
        this.#finish(error.message)
        resolve(error.message)
      })
      onceClosed(this.#child, () => {
        const reason = this.#reason ?? (this.#greeting.trim() || 'tmux ended')
        this.#ready?.reject(tmuxError(reason))
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
      }, patienceMs)
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

  /** Whether it takes no more commands. */
  get over(): boolean {
    return this.#reason !== undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Runs one command and gives its lines. @example await client.run('send-keys', '-t', '%1', 'Enter') */
  async run(...words: readonly string[]): Promise<string[]> {
    const [lines] = await this.batch({ commands: [words] })
    return lines!
  }

  /** Runs several as one. The first that fails ends it, and those behind it are not run. */
  batch(batch: Batch): Promise<string[][]> {
    return new Promise((resolve, reject) => {
      if (this.over) {
        reject(tmuxError(this.#reason ?? 'no server running'))
        return
      }
      const timer = setTimeout(() => {
        // Answers come in order: without this one, none behind it could be told from another.
        this.#reason ??= 'tmux does not answer'
        this.kill()
      }, patienceMs)
      timer.unref()
      this.#pending.push({ batch, answers: [], resolve, reject, timer })
      this.#child.stdin.write(`${batch.commands.map(command).join(' ; ')}\n`)
    })
  }

  /** Reads no further for now; tmux waits, and after a while leaves output out. */
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
    // Not an answer to what we wrote: the attaching itself, or a hook of the user's.
    if (flags === '0') {
      if (ok) this.#ready?.resolve()
      else this.#ready?.reject(tmuxError(lines.join('\n')))
      return
    }
    const [first] = this.#pending
    if (!first) return
    if (!ok) {
      this.#shift()?.reject(tmuxError(lines.join('\n')))
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
    for (let first = this.#shift(); first; first = this.#shift()) first.reject(tmuxError(reason))
  }
}
