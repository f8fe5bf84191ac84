import type * as library from '@agentclientprotocol/sdk'
import type { ClientConnection, RequestError } from '@agentclientprotocol/sdk'
import { RemoraError } from '@remora/protocol/plain'
import { classifyError } from '../../events/classify-error.ts'
import { asRecord } from '../../events/fields.ts'
import { guardTree } from '../../process/guard-tree.ts'
import { type SpawnOptions, type Tree, spawnTree } from '../../process/spawn-tree.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { BoundedText } from '../../runs/bounded-text.ts'
import { readReason } from './reading/failed-fields.ts'
import { waitAtMost } from '../../runs/waiter.ts'
import { type Tap, Wire } from './wire.ts'

/** A request from the agent. */
export interface AgentRequest {
  readonly id: unknown
  readonly method: string
  readonly params: AgentRecord
  /** Aborted when the agent cancels it or ends. */
  readonly signal: AbortSignal
}

export interface ProcessOptions {
  readonly title: string
  readonly spawn: SpawnOptions
  readonly tap: Tap
  readonly answer: (request: AgentRequest) => Promise<unknown>
  /** Whether it does not exit when its stdin closes. */
  readonly endBySignal: boolean
}

const stderrLimit = 64 * 1024
/** How long an agent may take to exit after its stdin was closed. */
const graceMs = 2_000
/** The grace period of a command of a cancelled turn. */
const commandGraceMs = 500
/** How long to wait for the last output. */
const drainMs = 500

type Library = Pick<typeof library, 'client' | 'RequestError'>

/** A running agent and the messages to and from it. */
export class AgentProcess {
  readonly #library: Library
  readonly #tree: Tree
  readonly #title: string
  readonly #wire: Wire
  readonly #connection: ClientConnection
  readonly #stderr = new BoundedText(stderrLimit)
  readonly #release: () => void
  readonly #endBySignal: boolean
  readonly #holds = new Set<string>()
  #awaited = 0
  #prompts = 0
  #stopping: Promise<void> | undefined

  static async start(options: ProcessOptions): Promise<AgentProcess> {
    const tree = await spawnTree({ ...options.spawn, stdin: 'pipe' })
    // Loaded while the agent starts, which takes longer.
    return new AgentProcess(tree, options, await import('@agentclientprotocol/sdk'))
  }

  private constructor(tree: Tree, { title, tap, answer, endBySignal }: ProcessOptions, loaded: Library) {
    this.#tree = tree
    this.#library = loaded
    this.#title = title
    this.#endBySignal = endBySignal
    this.#release = guardTree(tree)
    tree.stderr.on('data', (chunk: Buffer) => this.#stderr.add(chunk.toString('utf8')))
    tree.stderr.on('error', () => {})
    this.#wire = new Wire(tree, tap)
    this.#connection = loaded
      .client({ name: 'remora' })
      // Read field by field, because an unknown option must not fail a request.
      .onRequest('*', async ({ params, signal, requestId, method }) => {
        try {
          return await answer({ id: requestId, method, params: asRecord(params) ?? {}, signal })
        } catch (error) {
          throw this.#refusal(error)
        }
      })
      .onNotification('*', () => {})
      .connect(this.#wire.stream)
  }

  get pid(): number {
    return this.#tree.pid
  }

  get stderr(): string {
    return this.#stderr.toString()
  }

  /** Aborted when the connection is closed. */
  get closed(): AbortSignal {
    return this.#connection.signal
  }

  /** Whether reading is paused. */
  get held(): boolean {
    return this.#holds.size > 0
  }

  /** Pauses reading while any consumer is slow, unless a response is awaited. */
  hold(who: string, held: boolean): void {
    if (held === this.#holds.has(who)) return
    if (held) this.#holds.add(who)
    else this.#holds.delete(who)
    this.#flow()
  }

  /** Keeps reading until the returned function is called. */
  letFlow(): () => void {
    let over = false
    this.#awaited++
    this.#flow()
    return () => {
      if (over) return
      over = true
      this.#awaited--
      this.#flow()
    }
  }

  #flow(): void {
    if (this.#holds.size > 0 && this.#awaited === 0) this.#wire.pause()
    else this.#wire.resume()
  }

  /** Pauses reading for a slow consumer, unless other prompts wait for answers. */
  slow(session: string, slow: boolean): void {
    this.hold(`reader ${session}`, slow && this.#prompts < 2)
  }

  /** Sends a request. An error response is thrown as a RemoraError. */
  async request(method: string, params: object): Promise<AgentRecord> {
    const isPrompt = method === 'session/prompt'
    // Keep reading, so that a slow consumer does not block the response.
    const release = isPrompt ? undefined : this.letFlow()
    if (isPrompt && ++this.#prompts > 1)
      for (const who of this.#holds) if (who !== 'sink') this.hold(who, false)
    try {
      return asRecord(await this.#connection.agent.request(method, params)) ?? {}
    } catch (cause) {
      throw await this.#failure(method, cause)
    } finally {
      if (isPrompt) this.#prompts--
      release?.()
    }
  }

  async notify(method: string, params: object): Promise<void> {
    // Ignore an agent that has ended.
    await this.#connection.agent.notify(method, params).catch(() => {})
  }

  /** Ends the processes that the agent started after a time, but not the agent. */
  async endCommands(startedAfter: number): Promise<void> {
    await this.#tree.kill({ startedAfter, grace: commandGraceMs })
  }

  /** Ends the agent and its processes: by closing stdin, then by a signal, then by SIGKILL. */
  stop({ force = false } = {}): Promise<void> {
    this.#stopping ??= this.#end(force)
    return this.#stopping
  }

  async #end(force: boolean): Promise<void> {
    this.#tree.stdin?.end()
    if (!force && !this.#endBySignal) await waitAtMost(this.#tree.exited, graceMs)
    // Its descendants may still run.
    await this.#tree.kill({ grace: force ? 0 : graceMs })
    this.#release()
    await waitAtMost(this.#wire.ended, drainMs)
    this.#connection.close()
    this.#tree.stdout.destroy()
    this.#tree.stderr.destroy()
  }

  /** Converts our error to an error of the protocol. */
  #refusal(error: unknown): RequestError {
    const message = error instanceof Error ? error.message : String(error)
    return new this.#library.RequestError(RemoraError.is(error) ? refusalCode(error) : -32603, message)
  }

  async #failure(method: string, cause: unknown): Promise<RemoraError> {
    if (cause instanceof this.#library.RequestError) {
      const { text: message, status } = readReason({
        message: cause.message,
        code: cause.code,
        data: cause.data,
      })
      if (cause.code === -32601)
        return new RemoraError('unsupported', `${this.#title} does not know ${method}`, { cause })
      const { code, hint } = classifyError({ message, status })
      return new RemoraError(cause.code === -32000 ? 'auth' : code, `${this.#title}: ${message}`, {
        hint,
        cause,
      })
    }
    if (RemoraError.is(cause)) return cause
    return this.gone(cause)
  }

  /** Describes how the agent ended, if that is known shortly after. */
  async gone(cause?: unknown): Promise<RemoraError> {
    const exit = await waitAtMost(this.#tree.exited, 500)
    const how = exit === undefined ? 'has hung up' : `has ended with ${exit.signal ?? `code ${exit.code}`}`
    const last = this.stderr.trim().split('\n').at(-1)
    // Report the end only after all its processes have ended.
    await this.stop({ force: true })
    return new RemoraError('crashed', `${this.#title} ${how}${last ? `: ${last.slice(0, 500)}` : ''}`, {
      hint: 'connection.restart() restarts it and resumes its sessions.',
      cause,
    })
  }
}

/** Whether an error is the agent's response, and not a failure of the connection. */
export function isReply(error: unknown): boolean {
  return RemoraError.is(error) && asRecord(error.cause)?.['name'] === 'RequestError'
}

function refusalCode({ code }: RemoraError): number {
  switch (code) {
    case 'unsupported':
      return -32601
    case 'not_found':
      return -32002
    case 'permission':
      return -32600
    case 'input':
    case 'usage':
      return -32602
    default:
      return -32603
  }
}
