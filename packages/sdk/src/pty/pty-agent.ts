import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pty from '@lydell/node-pty'

export interface AgentSpec {
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns: number
  readonly rows: number
  /** The mark of the run, which is set for the agent but not for its leader. */
  readonly mark: readonly [name: string, value: string]
  /** A folder for the pipes between leader and host. */
  readonly folder: string
}

/** How an agent has ended. */
export interface AgentExit {
  readonly code?: number
  readonly signal?: string
}

export interface AgentEvents {
  output(bytes: Buffer): void
  started(pid: number): void
  /** After the last output. */
  exited(exit: AgentExit): void
}

/** How long the last output of an agent may take to arrive after its exit. */
const drainMs = 5_000

/**
 * The leader of the agent's session. It gives the agent a process group of its own: in the group of a session leader
 * Ctrl+Z is ignored by the kernel, and agents hang. It stays until the host has read all output, because node-pty drops
 * what is unread when its process ends. Written for any POSIX shell; its own messages must not reach the terminal.
 */
const leader = `folder=$1 mark=$2 end=$3
shift 3
exec 2>/dev/null
set -m
sh -c 'echo "pid $$" >"$1/status"; export "$2"; shift 2; exec "$@"' remora "$folder" "$mark" "$@" 2>&1
code=$?
while jobs >"$folder/jobs" && [ -s "$folder/jobs" ]; do
  echo stopped >"$folder/status"
  read -r order <"$folder/control"
  fg >/dev/null
  code=$?
done
echo "exit $code" >"$folder/status"
read -r order <"$folder/control"
printf '%s' "$end"
read -r order <"$folder/control"
`

/**
 * An agent on a pseudo-terminal, below its leader.
 *
 * @example
 * const agent = await PtyAgent.start(spec, { output, started, exited })
 * agent.write('hello\r')
 */
export class PtyAgent {
  readonly #pty: pty.IPty
  readonly #events: AgentEvents
  /** The last output of the leader, by which the host knows that it has read everything before. */
  readonly #end: Buffer
  readonly #status: Socket
  readonly #control: number
  #exit: AgentExit | undefined
  /** Output after the exit that may be the begin of the end mark. */
  #tail = Buffer.alloc(0)
  #isOver = false
  #timer: NodeJS.Timeout | undefined

  private constructor(spec: AgentSpec, events: AgentEvents) {
    const { command, folder, env, cwd, columns, rows, mark } = spec
    this.#events = events
    const end = `\u001B_${randomUUID()}\u001B\\`
    this.#end = Buffer.from(end)
    // For reading and writing, since a pipe without a writer is at its end.
    const status = openSync(join(folder, 'status'), constants.O_RDWR | constants.O_NONBLOCK)
    this.#control = openSync(join(folder, 'control'), constants.O_RDWR | constants.O_NONBLOCK)
    this.#status = new Socket({ fd: status, readable: true, writable: false })
    let text = ''
    this.#status.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n')
      text = lines.pop()!
      for (const line of lines) this.#read(line)
    })
    this.#status.on('error', () => {})
    this.#pty = pty.spawn('/bin/sh', ['-c', leader, 'remora', folder, mark.join('='), end, ...command], {
      // Bytes as they are: a decoder would change what is not UTF-8.
      encoding: null,
      cwd,
      env,
      name: env['TERM'] ?? 'xterm-256color',
      cols: columns,
      rows,
    })
    this.#pty.onData((data) => this.#receive(data as unknown as Buffer))
    this.#pty.onExit(({ exitCode, signal }) => {
      // The leader was killed.
      this.#exit ??= signal ? { signal: getSignalName(signal) } : { code: exitCode }
      this.#finish()
      closeSync(this.#control)
    })
  }

  static async start(spec: AgentSpec, events: AgentEvents): Promise<PtyAgent> {
    await rm(spec.folder, { recursive: true, force: true })
    await mkdir(spec.folder, { mode: 0o700 })
    const pipes = ['status', 'control'].map((name) => join(spec.folder, name))
    await promisify(execFile)('mkfifo', ['-m', '600', ...pipes])
    return new PtyAgent(spec, events)
  }

  write(data: string | Buffer): void {
    // The types of node-pty do not have bytes, which it takes too.
    if (!this.#isOver) this.#pty.write(data as string)
  }

  resize(columns: number, rows: number): void {
    if (!this.#isOver) this.#pty.resize(columns, rows)
  }

  /** Stops reading its output, which blocks it when the buffer of the system is full. */
  pause(): void {
    if (!this.#isOver && !this.#exit) this.#pty.pause()
  }

  resume(): void {
    if (!this.#isOver) this.#pty.resume()
  }

  /** Hangs up: the kernel sends SIGHUP to leader and agent. */
  hangUp(): void {
    if (!this.#isOver) this.#pty.kill('SIGHUP')
  }

  #read(line: string): void {
    const [word, value] = line.split(' ')
    if (word === 'pid') this.#events.started(Number(value))
    // Without a shell to return to, a stopped agent could never continue.
    else if (word === 'stopped') this.#order()
    else if (word === 'exit') {
      this.#exit = toExit(Number(value))
      this.#pty.resume()
      this.#timer = setTimeout(() => this.#finish(), drainMs)
      this.#order()
    }
  }

  /** Lets the leader continue. */
  #order(): void {
    if (!this.#isOver) writeSync(this.#control, 'next\n')
  }

  #receive(bytes: Buffer): void {
    if (this.#isOver) return
    if (!this.#exit) return this.#events.output(bytes)
    const all = Buffer.concat([this.#tail, bytes])
    const end = all.indexOf(this.#end)
    const kept = end === -1 ? Math.min(all.length, this.#end.length - 1) : 0
    const output = all.subarray(0, end === -1 ? all.length - kept : end)
    this.#tail = all.subarray(all.length - kept)
    if (output.length > 0) this.#events.output(output)
    if (end !== -1) this.#finish()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#order()
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#status.destroy()
    this.#events.exited(this.#exit ?? {})
  }
}

/** A shell reports a signal as 128 and its number. Programs themselves exit with 130 and 141, but hardly with these. */
const deadly = new Map(
  (['SIGHUP', 'SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGSEGV', 'SIGTERM'] as const).map(
    (name) => [128 + os.constants.signals[name], name],
  ),
)

function getSignalName(number: number): string {
  return Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0] ?? String(number)
}

function toExit(code: number): AgentExit {
  const signal = deadly.get(code)
  return signal === undefined ? { code } : { signal }
}
