import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { asCount, asRecord, asString } from '../../../events/fields.ts'
import { runVariable } from '../../../process/process-table.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { isInside, resolveRealPath } from '../files/real-path.ts'
import { type ExitStatus, Terminal } from './terminal.ts'

export interface TerminalsOptions {
  /** The maximum output kept per command in bytes; a million by default. An agent may request less. */
  readonly outputBytes?: number | undefined
  /** The maximum number of terminals; 16 by default. */
  readonly most?: number | undefined
  /** The whole environment of the commands; that of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * The commands that an agent runs through the client in one session. Closing ends all of them.
 *
 * @example
 * await using terminals = new Terminals('/home/me/project')
 * const { terminalId } = await terminals.create({ command: 'npm', args: ['test'] })
 * await terminals.waitForExit({ terminalId })
 */
export class Terminals {
  readonly #root: string
  readonly #options: TerminalsOptions
  readonly #terminals = new Map<string, Terminal>()
  /** Terminals being started or ended, for which closing waits. */
  readonly #underWay = new Set<Promise<unknown>>()
  #starting = 0
  #closed = false

  constructor(root: string, options: TerminalsOptions = {}) {
    this.#root = root
    this.#options = options
  }

  /** Answers `terminal/create`. */
  create(params: AgentRecord): Promise<{ terminalId: string }> {
    return this.#watched(this.#create(params))
  }

  /** Answers `terminal/output`. */
  output(params: AgentRecord): { output: string; truncated: boolean; exitStatus: ExitStatus | null } {
    return this.#find(params).output()
  }

  /** Answers `terminal/wait_for_exit`; rejects when the signal aborts. */
  async waitForExit(params: AgentRecord, signal?: AbortSignal): Promise<ExitStatus> {
    const { ended } = this.#find(params)
    if (signal === undefined) return ended
    signal.throwIfAborted()
    const { promise, stop } = aborted(signal)
    return Promise.race([ended, promise]).finally(stop)
  }

  /** Answers `terminal/kill`. The output stays readable. */
  async kill(params: AgentRecord): Promise<Record<string, never>> {
    await this.#watched(this.#find(params).kill())
    return {}
  }

  /** Answers `terminal/release`. */
  async release(params: AgentRecord): Promise<Record<string, never>> {
    const terminal = this.#find(params)
    this.#terminals.delete(readId(params))
    await this.#watched(terminal.close())
    return {}
  }

  /** Ends all terminals; none can be created afterwards. */
  async closeAll(): Promise<void> {
    this.#closed = true
    const terminals = [...this.#terminals.values()]
    this.#terminals.clear()
    await Promise.allSettled([...terminals.map((terminal) => terminal.close()), ...this.#underWay])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closeAll()
  }

  async #create(params: AgentRecord): Promise<{ terminalId: string }> {
    this.#checkOpen()
    this.#makeRoom()
    this.#starting++
    try {
      const { command, args } = await toCommandLine(...readCommand(params))
      const cwd = await this.#folder(params)
      const env = { ...(this.#options.env ?? process.env), ...readVariables(params) }
      const most = this.#options.outputBytes ?? 1_000_000
      const outputBytes = Math.min(most, asCount(params['outputByteLimit']) ?? most)
      const terminal = await Terminal.start({ command, args, cwd, env }, outputBytes).catch(startError)
      // The session may have been closed while the command was starting.
      if (this.#closed) await terminal.close()
      this.#checkOpen()
      const terminalId = randomUUID()
      this.#terminals.set(terminalId, terminal)
      return { terminalId }
    } finally {
      this.#starting--
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new RemoraError('aborted', 'The session of this terminal is closed')
  }

  /** Agents forget to release, so an ended terminal makes room for a new one. */
  #makeRoom(): void {
    const most = this.#options.most ?? 16
    if (this.#terminals.size + this.#starting < most) return
    const [id, terminal] = [...this.#terminals].find(([, { isRunning }]) => !isRunning) ?? []
    if (id === undefined || terminal === undefined)
      throw new RemoraError('conflict', `${most} terminals are running already`, {
        hint: 'Wait for one of them, or end it.',
      })
    this.#terminals.delete(id)
    this.#watched(terminal.close()).catch(() => {})
  }

  async #folder(params: AgentRecord): Promise<string> {
    const cwd = params['cwd'] ?? this.#root
    if (typeof cwd !== 'string' || !isAbsolute(cwd) || cwd.includes('\0'))
      throw new RemoraError('input', `The folder ${JSON.stringify(cwd)} is not an absolute path`)
    const [root, place] = await Promise.all([resolveRealPath(this.#root), resolveRealPath(cwd)])
    if (!isInside(root, place))
      throw new RemoraError('permission', `${cwd} is outside of the workspace ${this.#root}`)
    const found = await stat(place).catch(() => undefined)
    if (found?.isDirectory() !== true) throw new RemoraError('not_found', `There is no folder ${cwd}`)
    return place
  }

  #find(params: AgentRecord): Terminal {
    const terminal = this.#terminals.get(readId(params))
    if (!terminal)
      throw new RemoraError('not_found', `There is no terminal ${JSON.stringify(readId(params))}`)
    return terminal
  }

  #watched<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    const done = () => void this.#underWay.delete(work)
    work.then(done, done)
    return work
  }
}

function readId(params: AgentRecord): string {
  return asString(params['terminalId']) ?? ''
}

function readCommand(params: AgentRecord): [string, readonly string[]] {
  const command = asString(params['command']) ?? ''
  const args: unknown = params['args'] ?? []
  if (command.trim() === '') throw new RemoraError('input', 'There is no command')
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string'))
    throw new RemoraError('input', `The arguments of ${command} are not texts`)
  if ([command, ...args].some((text) => text.includes('\0')))
    throw new RemoraError('input', 'The command has a NUL in it')
  return [command, args]
}

function readVariables(params: AgentRecord): Record<string, string> {
  const variables: Record<string, string> = {}
  const list: unknown = params['env'] ?? []
  if (!Array.isArray(list)) throw new RemoraError('input', 'The variables of the command are not a list')
  for (const entry of list as unknown[]) {
    const name = asString(asRecord(entry)?.['name']) ?? ''
    const value = asString(asRecord(entry)?.['value'])
    if (value === undefined || !/^[^=\0]+$/.test(name) || value.includes('\0'))
      throw new RemoraError('input', `${JSON.stringify(entry)} is no variable with a value`)
    // This variable identifies the processes of the command when it must end.
    if (name !== runVariable) variables[name] = value
  }
  return variables
}

/** The default message is about a missing agent; here a command of the agent is missing. */
function startError(error: unknown): never {
  if (!RemoraError.is(error) || error.code !== 'agent_missing') throw error as Error
  throw new RemoraError('not_found', error.message, { cause: error })
}

function aborted(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => {}
  const promise = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    stop = () => signal.removeEventListener('abort', onAbort)
  })
  return { promise, stop }
}

/**
 * Gets the program to start for a command. The protocol means a program with arguments, but some agents (claude-code-
 * acp 0.16) send a whole shell line without arguments.
 *
 * @example await toCommandLine('npm test && echo done', []) // { command: '/bin/bash', args: ['-c', …] }
 */
async function toCommandLine(
  command: string,
  args: readonly string[],
): Promise<{ command: string; args: readonly string[] }> {
  const isLine = args.length === 0 && /[^\w./:@%+=,\\-]/.test(command)
  if (!isLine || (await isFile(command))) return { command, args }
  if (process.platform === 'win32') return { command: 'cmd.exe', args: ['/d', '/s', '/c', command] }
  return { command: (await isFile('/bin/bash')) ? '/bin/bash' : '/bin/sh', args: ['-c', command] }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true
}
