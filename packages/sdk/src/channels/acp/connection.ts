import { randomUUID } from 'node:crypto'
import { type Event, RemoraError } from '@remora/protocol/plain'
import type { ProtectedResume } from '../../contract/agent.ts'
import { type EventFields, EventMaker } from '../../events/event-maker.ts'
import { asString } from '../../events/fields.ts'
import { refusePlan } from '../../contract/modes.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { AgentProcess, type AgentRequest } from './agent-process.ts'
import { unknownMethod } from './client-requests.ts'
import { Deliveries } from './deliveries.ts'
import { commandLine, type FoundAgent } from './found-agent.ts'
import { type AuthMethod, greet, Greeting } from './greeting.ts'
import type { Link } from './link.ts'
import type { LiveSession } from './live-session.ts'
import { type KeptSessions, openSession, reopenSession } from './open-session.ts'
import type { ConnectOptions, OpenOptions } from './options.ts'
import { createLostSessionError, toProblemFields, toWarningFields } from './problem-fields.ts'
import { toReaderQuirks } from './reading/acp-reader.ts'
import { type AcpReader, acpReader } from './reading/read-update.ts'
import type { Session } from './session.ts'
import { SessionModes } from './session-modes.ts'
import { waitAtMost } from '../../runs/waiter.ts'
import { toUnknownFields } from './reading/failed-fields.ts'

/** How long an agent may take to close a session. */
const closeMs = 2_000

/**
 * A running agent for any number of sessions and prompts.
 *
 * @example
 * await using connection = await connect('gemini')
 * const session = await connection.open({ cwd: '/home/me/project' })
 */
export class Connection implements AsyncDisposable {
  readonly id = randomUUID()
  readonly agent: string
  readonly #found: FoundAgent
  readonly #options: ConnectOptions
  readonly #kept: KeptSessions
  readonly #maker: EventMaker
  readonly #reader: AcpReader
  readonly #deliveries: Deliveries
  readonly #sessions = new Map<string, LiveSession>()
  /** Events of sessions that are still being opened. */
  readonly #early = new EarlyEvents()
  readonly #protections: ProtectedResume[] = []
  #process!: AgentProcess
  /** Processes that were ended on purpose, whose exit is not a failure. */
  readonly #dismissed = new WeakSet<AgentProcess>()
  #greeting = new Greeting()
  #ended: Error | undefined
  #restarts = 0
  #restarting: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #sinkError: Error | undefined

  private constructor(found: FoundAgent, options: ConnectOptions, kept: KeptSessions) {
    this.#kept = kept
    this.agent = found.id
    this.#found = found
    this.#options = options
    this.#maker = new EventMaker({ agent: found.id, channel: 'acp', source: this.id })
    this.#reader = acpReader(this.#maker, found.acp.toClaude, toReaderQuirks(found.acp, found.quirks))
    this.#deliveries = new Deliveries(options.sink, {
      take: (events) => this.#take(events),
      busy: (busy) => this.#process.hold('sink', busy),
      failed: (error) => this.#sinkFailed(error),
    })
  }

  /** Starts an agent and initializes the connection. */
  static async start(found: FoundAgent, options: ConnectOptions, kept: KeptSessions): Promise<Connection> {
    const connection = new Connection(found, options, kept)
    await connection.#start(options.signal)
    return connection
  }

  /** The agent's name and version. */
  get info(): Greeting['info'] {
    return this.#greeting.info
  }

  /** The capabilities of the agent, as in the protocol. */
  get capabilities(): AgentRecord {
    return this.#greeting.capabilities
  }

  /** The agent's sign-in methods. None is used automatically; the agent uses the user's credentials. */
  get authMethods(): readonly AuthMethod[] {
    return this.#greeting.authMethods
  }

  /** Signs in by one of the agent's methods, which may change the user's settings. */
  async authenticate(methodId: string): Promise<void> {
    await this.#afterRestart('authenticate', { methodId })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** The agent's standard error, or its start and end. */
  get stderr(): string {
    return this.#process.stderr
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions.values()]
  }

  /** Starts or resumes a session. @example await connection.open({ cwd: '/home/me/project', resume: 'latest' }) */
  async open(options: OpenOptions): Promise<Session> {
    await this.#restarting
    this.#checkAlive()
    try {
      return await openSession(this.#opening(), options)
    } catch (error) {
      if (!RemoraError.is(error) || error.code !== 'auth' || options.signIn === undefined) throw error
      const { signIn } = options
      if (!this.authMethods.some(({ id }) => id === signIn))
        throw new RemoraError('usage', `${this.#found.title} does not offer the sign-in method "${signIn}"`, {
          ...(error.hint === undefined ? {} : { hint: error.hint }),
          ...(error.signIn ? { signIn: error.signIn } : {}),
          cause: error,
        })
      await this.authenticate(signIn)
      return openSession(this.#opening(), options)
    }
  }

  /**
   * Restarts the agent. Its sessions continue if the agent can load them. Running prompts fail; new prompts wait for the
   * restart.
   */
  restart(): Promise<void> {
    if (this.#closing) return Promise.reject(closedError())
    this.#restarting ??= this.#restart().finally(() => (this.#restarting = undefined))
    return this.#restarting
  }

  /** Ends the agent with all its sessions and processes. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #start(signal?: AbortSignal): Promise<void> {
    const { title, quirks } = this.#found
    const { model } = this.#options
    if (signal?.aborted) throw new RemoraError('aborted', 'The start was cancelled', { cause: signal.reason })
    const started = await AgentProcess.start({
      title,
      spawn: commandLine(this.#found, { mode: this.#found.requestedMode, model }),
      tap: {
        message: (from, message) => this.#hear(from, message),
        noise: (line) => this.#noise(line),
      },
      answer: (request) => this.#answer(request),
      endBySignal: quirks.endBySignal ?? false,
    })
    this.#process = started
    started.closed.addEventListener('abort', () => {
      if (!this.#closing) void started.gone().then((error) => this.#fail(error, started))
    })
    try {
      this.#greeting = await greet(started, this.#found, this.#options, signal)
    } catch (error) {
      await started.stop({ force: true })
      throw error
    }
  }

  async #restart(): Promise<void> {
    const { title } = this.#found
    const before = this.#process
    await this.#fail(new RemoraError('crashed', `${title} was started again`), before)
    this.#dismissed.add(before)
    if (this.#closing) throw closedError()
    this.#ended = undefined
    this.#sinkError = undefined
    this.#deliveries.tryAgain()
    // The new process numbers its records from the start, so they need another source.
    this.#maker.source = `${this.id}.${++this.#restarts}`
    this.#reader.restarted()
    await this.#start()
    for (const session of this.#sessions.values()) {
      if (this.#closing) throw closedError()
      session.lose(undefined)
      await reopenSession(this.#opening(), session).catch((cause: unknown) => this.#lose(session, cause))
    }
  }

  /** A session that could not be loaded again reports it itself; the others continue. */
  async #lose(session: LiveSession, cause: unknown): Promise<void> {
    const lost = createLostSessionError(this.#found.title, session.id, cause)
    session.lose(lost)
    await this.#emit(session.id, [toWarningFields(`${session.id}/lost`, lost)])
  }

  async #close(): Promise<void> {
    if (this.#restarting) {
      await this.#process.stop({ force: true })
      await this.#restarting.catch(() => {})
    }
    for (const session of this.sessions) await session.close()
    await this.#process.stop()
    await this.#deliveries.idle
    for (const { id, finish } of this.#protections.splice(0))
      await this.#emit(id, toProblemFields(this.id, await finish().catch(() => [])))
  }

  #hear(from: 'client' | 'agent', message: AgentRecord): void {
    const events = this.#reader.read({ from, message }) ?? this.#unknown(message)
    const last = events.at(-1)
    const session = last && this.#sessions.get(last.session)
    session?.alive()
    if (last?.type === 'done') session?.turnOver()
    this.#deliveries.add(events)
  }

  #noise(line: string): void {
    this.#maker.next()
    this.#deliveries.add(this.#unknown(line))
  }

  /** Before the first session, messages are not events; standard error is more useful then. */
  #unknown(raw: unknown): Event[] {
    if (this.#maker.session === '') return []
    return [this.#maker.make(toUnknownFields(this.#maker.source, raw))]
  }

  #take(events: readonly Event[]): void {
    const [first] = events
    if (!first) return
    const session = this.#sessions.get(first.session)
    if (session) session.take(events)
    else this.#early.add(events)
  }

  async #answer(request: AgentRequest): Promise<unknown> {
    const session = this.#sessions.get(asString(request.params['sessionId']) ?? '')
    if (!session) throw unknownMethod(request.method)
    return session.opened.requests.answer(request)
  }

  async #afterRestart(method: string, params: object): Promise<AgentRecord> {
    // The caller of the restart gets its error; here the next request reports it.
    await this.#restarting?.catch(() => {})
    return this.#request(method, params)
  }

  async #request(method: string, params: object): Promise<AgentRecord> {
    this.#checkAlive()
    return this.#process.request(method, params)
  }

  async #emit(session: string, fields: readonly EventFields[], taken = false): Promise<Event[]> {
    if (fields.length === 0) return []
    const before = this.#maker.session
    this.#maker.session = session
    this.#maker.next(undefined, randomUUID())
    const events = fields.map((each) => this.#maker.make(each))
    this.#maker.session = before
    this.#deliveries.add(events, taken)
    await this.#deliveries.idle
    return events
  }

  /** The agent has ended. This is reported after all its processes have ended. */
  async #fail(error: Error, process: AgentProcess): Promise<void> {
    if (process !== this.#process || this.#dismissed.has(process)) return
    this.#ended ??= error
    await process.stop({ force: true })
    for (const session of this.#sessions.keys()) this.#deliveries.add(this.#reader.abandon(session))
    // Deliver the last messages before the end.
    await this.#deliveries.idle
    for (const session of this.#sessions.values()) session.fail(error)
  }

  #sinkFailed(cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    this.#sinkError = error
    // Stop the agent if its events cannot be recorded.
    for (const session of this.#sessions.values()) void session.breakOff().finally(() => session.fail(error))
  }

  #checkAlive(): void {
    if (this.#closing) throw closedError()
    const failed = this.#ended ?? this.#sinkError
    if (failed) throw failed
  }

  #opening() {
    return {
      found: this.#found,
      kept: this.#kept,
      options: this.#options,
      greeting: this.#greeting,
      reader: this.#reader,
      link: this.#link,
      request: (method: string, params: object) => this.#request(method, params),
      add: (session: LiveSession): void => {
        if (this.#closing) throw closedError()
        this.#sessions.set(session.id, session)
        session.take(this.#early.take(session.id))
      },
      protections: this.#protections,
      check: () => this.#checkAlive(),
      settled: () => this.#deliveries.idle,
    }
  }

  get #link(): Link {
    const found = this.#found
    const connection = (): Connection => this
    return {
      title: found.title,
      options: this.#options,
      lateMs: found.quirks.lateMs ?? 0,
      get stderr() {
        return connection().stderr
      },
      get takes() {
        return connection().#greeting.takes
      },
      get restarting() {
        return connection().#restarting
      },
      get held() {
        return connection().#process.held
      },
      escapes: found.acp.escapes,
      guard: {
        title: found.title,
        permissions: this.#options.permissions,
        configured: found.startMode,
      },
      modes: ({ offered }) => new SessionModes(found.title, found.acp.modes, offered),
      checkPlan: async (place) => refusePlan(await found.acp.planObstacle?.(place)),
      unsafePlanAfter: (mode) => found.acp.unsafePlanAfter?.(mode) ?? false,
      request: (method, params) => this.#afterRestart(method, params),
      notify: (method, params) => this.#process.notify(method, params),
      settled: () => this.#deliveries.idle,
      emit: (session, fields) => this.#emit(session, fields),
      warn: (session, fields) => void this.#emit(session, [fields], true),
      fail: (error) => this.#fail(error, this.#process),
      endCommands: async (session, startedAfter) => {
        const others = [...this.#sessions.values()].filter((other) => other !== session)
        if (found.quirks.leavesCommands && others.every(({ waiting }) => waiting === 0))
          await this.#process.endCommands(startedAfter)
      },
      restart: () => this.restart(),
      leave: (session) => this.#leave(session),
      slow: (session, slow) => this.#process.slow(session, slow),
      letFlow: () => this.#process.letFlow(),
      outputs: async (session, calls) =>
        (await found.acp.outputs?.(session.opened.place, session.id, calls)) ?? new Map(),
    }
  }

  async #leave(session: string): Promise<void> {
    if (this.#greeting.can('close') && !this.#ended)
      await waitAtMost(this.#process.request('session/close', { sessionId: session }), closeMs).catch(
        () => {},
      )
    this.#sessions.delete(session)
    this.#process.slow(session, false)
    this.#reader.forget(session)
  }
}

const closedError = (): RemoraError =>
  new RemoraError('usage', 'The connection is closed', { hint: 'Open another with connect().' })

/** Keeps the lasting events of sessions that are not open yet. */
class EarlyEvents {
  readonly #events = new Map<string, Event[]>()

  add(events: readonly Event[]): void {
    for (const event of events) {
      const { session, type } = event
      const isLasting = type === 'session' || (type === 'status' && typeof event.value === 'string')
      if (isLasting) this.#events.set(session, [...(this.#events.get(session) ?? []), event])
    }
  }

  take(session: string): readonly Event[] {
    const events = this.#events.get(session) ?? []
    this.#events.delete(session)
    return events
  }
}
