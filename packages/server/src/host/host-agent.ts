import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Answer,
  type Ask,
  type AskBroker,
  type Event,
  type EventSink,
  type PromptKind,
  RemoraError,
} from '@remora/protocol/plain'
import { type Connection, type PromptContent, type Session, connect } from '@remora/sdk/acp'
import type { HostSpec } from './host-files.ts'
import type { HostInfo } from './host-wire.ts'

export interface HostAgentOptions {
  readonly sink: EventSink
  readonly asks: AskBroker
  readonly signal: AbortSignal
  /** Called when `info` has changed. */
  readonly changed: () => void
  /** Called after a restart, so that queued prompts are sent. */
  readonly restarted: () => void
}

/** The result of a prompt. */
export interface Turn {
  /** Whether the agent got the prompt. */
  readonly taken: boolean
  readonly failure?: { readonly message: string; readonly hint?: string }
}

/** How often an idle agent is checked. */
const livenessMs = 500
/** How long a crashed agent may take to exit. */
const exitMs = 5_000

/** One agent with one session. It is restarted once if it crashes. */
export class HostAgent {
  readonly #options: HostAgentOptions
  #connection!: Connection
  #session!: Session
  #livenessTimer: NodeJS.Timeout | undefined
  #asking = 0
  #turn: { taken: boolean; isCancelled: boolean } | undefined
  #restarting: Promise<void> | undefined
  #restarts = 0
  #lost: RemoraError | undefined
  #closing: Promise<void> | undefined
  #detail: string | undefined
  #title: string | undefined
  /** The last mode and model that the agent reported itself. */
  readonly #reported = new Map<string, unknown>()
  #isGone = false
  #end!: (error: RemoraError) => void
  /** Resolves with the reason when the agent has ended for good. */
  readonly gone: Promise<RemoraError>

  /** Starts an agent and opens its session. */
  static async start(spec: HostSpec, options: HostAgentOptions): Promise<HostAgent> {
    const agent = new HostAgent(options)
    await agent.#start(spec)
    return agent
  }

  private constructor(options: HostAgentOptions) {
    this.#options = options
    this.gone = new Promise((resolve) => {
      this.#end = (error) => {
        this.#isGone = true
        resolve(error)
      }
    })
  }

  get session(): string {
    return this.#session.id
  }

  get agent(): string {
    return this.#connection.agent
  }

  get cwd(): string {
    return this.#session.cwd
  }

  /** Whether the agent can take a prompt. */
  get ready(): boolean {
    return !this.#turn && !this.#restarting && !this.#closing && !this.#isGone
  }

  get stderr(): string {
    return this.#connection.stderr
  }

  info(): HostInfo {
    const { mode, modes, permissionModes, models: model } = this.#session
    return {
      state: this.#restarting ? 'starting' : this.#asking > 0 ? 'asking' : this.#turn ? 'working' : 'idle',
      modes: modes.offered,
      permissionModes,
      models: model.offered,
      ...(this.#detail === undefined ? {} : { detail: this.#detail }),
      ...(this.#title === undefined ? {} : { title: this.#title }),
      ...(mode === undefined ? {} : { mode }),
      ...(model.current === undefined ? {} : { model: model.current }),
    }
  }

  /** The problem of the ledger to show, if there is one. */
  set problem(problem: string | undefined) {
    this.#detail = problem
    this.#options.changed()
  }

  /** Sends a prompt and waits for the end of its turn. Never rejects. */
  async prompt(content: PromptContent, kind?: PromptKind): Promise<Turn> {
    const turn = { taken: false, isCancelled: false }
    this.#turn = turn
    this.#detail = undefined
    this.#options.changed()
    try {
      // It may have exited since the last check, and a prompt to it would be lost.
      if (this.#restarting || !this.#isAlive()) await this.#restartOnce()
      if (turn.isCancelled) throw new RemoraError('aborted', 'Cancelled before the agent restarted')
      const { ok, error } = await this.#session.prompt(content, kind ? { kind } : {}).result
      if (ok) this.#restarts = 0
      if (error && error.code !== 'aborted') this.#detail = error.message
      // The error arrives before the process exits, and the next prompt must not go to it.
      if (error?.code === 'crashed') await this.#waitForExit()
      if (!this.#isAlive()) await this.#restartOnce()
      return { taken: turn.taken, ...(error ? { failure: error } : {}) }
    } catch (error) {
      return { taken: turn.taken, failure: error as Error }
    } finally {
      this.#turn = undefined
      this.#options.changed()
    }
  }

  /** Interrupts the turn under way; false if there is none. */
  async cancel(): Promise<boolean> {
    if (!this.#turn) return false
    this.#turn.isCancelled = true
    await this.#session.cancel()
    return true
  }

  /** Changes the mode or the model; true if the agent reported the change itself. */
  async choose(kind: 'mode' | 'model', value: string): Promise<boolean> {
    this.#reported.delete(kind)
    if (kind === 'mode') await this.#session.setMode(value)
    else await this.#session.setModel(value)
    this.#options.changed()
    return this.#reported.has(kind)
  }

  /** Ends the agent and its child processes. */
  close(): Promise<void> {
    clearInterval(this.#livenessTimer)
    this.#closing ??= this.#connection.close()
    return this.#closing
  }

  async #start({ agent, command, cwd, home, mode, model, resume, fork, signIn }: HostSpec): Promise<void> {
    const { sink, asks, signal } = this.#options
    this.#connection = await connect(command ?? agent, {
      asks: this.#countAsks(asks),
      sink: { write: (event) => this.#watch(event) ?? sink.write(event) },
      env: { HOME: home },
      cwd,
      signal,
      ...(mode === undefined ? {} : { mode }),
      ...(model === undefined ? {} : { model }),
    })
    try {
      this.#session = await this.#connection.open({
        cwd,
        // No structured output is needed, so the model gets no tool for it.
        structuredOutput: false,
        signal,
        ...(mode === undefined ? {} : { mode }),
        ...(model === undefined ? {} : { model }),
        ...(resume === undefined ? {} : { resume }),
        ...(fork ? { fork } : {}),
        ...(signIn === undefined ? {} : { signIn }),
      })
    } catch (error) {
      await this.#connection.close()
      throw error
    }
    this.#livenessTimer = setInterval(() => {
      if (!this.#turn && !this.#isAlive()) void this.#restartOnce()
    }, livenessMs)
  }

  #watch(event: Event): undefined {
    if (event.type === 'message' && event.role === 'user' && this.#turn) this.#turn.taken = true
    if (event.type === 'status' && (event.status === 'mode' || event.status === 'model')) {
      this.#reported.set(event.status, event.value)
      // The session handles the event after this.
      setImmediate(() => this.#options.changed())
    }
    if (event.type === 'session' && event.title !== undefined && event.title !== this.#title) {
      this.#title = event.title
      this.#options.changed()
    }
    // The restarted agent could not load the session.
    if (event.type === 'error' && event.entity === `${event.session}/lost`)
      this.#lost = new RemoraError(event.code, event.message)
    return undefined
  }

  #countAsks(asks: AskBroker): AskBroker {
    return {
      ask: async (ask: Ask, about): Promise<Answer> => {
        this.#asking++
        this.#options.changed()
        try {
          return await asks.ask(ask, about)
        } finally {
          this.#asking--
          this.#options.changed()
        }
      },
    }
  }

  async #waitForExit(): Promise<void> {
    for (const end = performance.now() + exitMs; this.#isAlive() && performance.now() < end;) await sleep(20)
  }

  #isAlive(): boolean {
    try {
      process.kill(this.#connection.pid, 0)
      return true
    } catch {
      return false
    }
  }

  #restartOnce(): Promise<void> {
    if (this.#closing) return Promise.resolve()
    this.#restarting ??= this.#restart().finally(() => {
      this.#restarting = undefined
      this.#options.changed()
      this.#options.restarted()
    })
    this.#options.changed()
    return this.#restarting
  }

  /** Restarts once: an agent that crashes again before a successful turn would crash forever. */
  async #restart(): Promise<void> {
    const { capabilities, stderr, agent } = this.#connection
    const { loadSession, sessionCapabilities } = capabilities as {
      loadSession?: boolean
      sessionCapabilities?: { resume?: unknown } | null
    }
    const last = stderr.trim().split('\n').at(-1)
    const died = new RemoraError('crashed', `${agent} exited unexpectedly`, last ? { hint: last } : {})
    if (this.#restarts++ > 0 || !(loadSession || sessionCapabilities?.resume)) {
      this.#end(died)
      return
    }
    try {
      await this.#connection.restart()
      if (this.#lost) this.#end(this.#lost)
    } catch (error) {
      this.#end(RemoraError.is(error) ? error : new RemoraError('crashed', (error as Error).message))
    }
  }
}
