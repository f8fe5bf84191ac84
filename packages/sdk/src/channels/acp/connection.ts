import { randomUUID } from 'node:crypto'
import { type Event, RemoraError } from '@remora/protocol/plain'
import type { Mode, ProtectedResume } from '../../agent.ts'
import { type EventFields, EventMaker } from '../../event-maker.ts'
import { fieldsOf, stringOf } from '../../fields.ts'
import type { AgentRecord } from '../../read-record.ts'
import { AgentProcess, type AgentRequest } from './agent-process.ts'
import { unknownMethod } from './client-requests.ts'
import { Deliveries } from './deliveries.ts'
import type { FoundAgent } from './found-agent.ts'
import { type AuthMethod, Greeting } from './greeting.ts'
import type { Link } from './link.ts'
import { openSession, reopenSession } from './open-session.ts'
import type { ConnectOptions, OpenOptions } from './options.ts'
import { type AcpReader, acpReader } from './read-update.ts'
import type { Session } from './session.ts'
import { within } from './within.ts'

/** Finds a folder's last session in the agent's own files. */
export type Latest = (cwd: string) => Promise<string | undefined>

/**
 * A running agent, kept for as many sessions and prompts as one likes.
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
  readonly #latest: Latest
  readonly #maker: EventMaker
  readonly #reader: AcpReader
  readonly #deliveries: Deliveries
  readonly #sessions = new Map<string, Session>()
  /** What was told of sessions that are only being opened. */
  readonly #early = new Map<string, Event[]>()
  readonly #protections: ProtectedResume[] = []
  #process!: AgentProcess
  #greeting = new Greeting()
  #ended: Error | undefined
  #restarts = 0
  #closing: Promise<void> | undefined
  #sinkError: Error | undefined

  private constructor(found: FoundAgent, options: ConnectOptions, latest: Latest) {
    this.#latest = latest
    this.agent = found.id
    this.#found = found
    this.#options = options
    this.#maker = new EventMaker({ agent: found.id, channel: 'acp', source: this.id })
    this.#reader = acpReader(this.#maker, found.acp.toClaude, found.quirks)
    this.#deliveries = new Deliveries(options.sink, {
      take: (events) => this.#take(events),
      busy: (busy) => this.#process.hold('sink', busy),
      failed: (error) => this.#sinkFailed(error),
    })
  }

  /** Starts an agent and greets it. */
  static async start(found: FoundAgent, options: ConnectOptions, latest: Latest): Promise<Connection> {
    const connection = new Connection(found, options, latest)
    await connection.#start()
    return connection
  }

  /** Who answered: its name and version. */
  get info(): Greeting['info'] {
    return this.#greeting.info
  }

  /** What the agent says that it can do, in the protocol's words. */
  get capabilities(): AgentRecord {
    return this.#greeting.capabilities
  }

  /** The ways to sign in. None is taken unasked: the user's own credentials are used. */
  get authMethods(): readonly AuthMethod[] {
    return this.#greeting.authMethods
  }

  /** Signs in by one of the agent's own ways, which may change the user's settings. */
  async authenticate(methodId: string): Promise<void> {
    await this.#request('authenticate', { methodId })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** What the agent wrote on its standard error, or the beginning and the end of it. */
  get stderr(): string {
    return this.#process.stderr
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions.values()]
  }

  /** Begins a session, or goes on with one. @example await connection.open({ cwd: '/home/me/project', resume: 'latest' }) */
  async open(options: OpenOptions): Promise<Session> {
    this.#checkAlive()
    return openSession(this.#opening(), options)
  }

  /**
   * Ends the agent and starts it again; its sessions go on, where the agent can load them. What was under way is lost,
   * and says so.
   */
  async restart(): Promise<void> {
    if (this.#closing) throw closedError()
    await this.#fail(new RemoraError('crashed', `${this.#found.title} was started again`))
    await this.#process.stop()
    this.#ended = undefined
    // The new process counts from the beginning, and nothing of it may be taken for something of the old one.
    this.#maker.source = `${this.id}.${++this.#restarts}`
    this.#reader.restarted()
    await this.#start()
    for (const session of this.#sessions.values()) await reopenSession(this.#opening(), session)
  }

  /** Ends the agent with all its sessions and everything that it started. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #start(): Promise<void> {
    const { title, acp, quirks, place, command, args, env } = this.#found
    const { mode, model, startupTimeout = 15_000, files, terminals, signal } = this.#options
    const invocation = acp.invocation(place.version, { mode, model })
    signal?.throwIfAborted()
    const started = await AgentProcess.start({
      title,
      spawn: {
        command,
        args: [...args, ...invocation.args],
        cwd: place.cwd,
        env: { ...env, PWD: place.cwd, ...invocation.env },
      },
      tap: {
        message: (from, message) => this.#hear(from, message),
        noise: (line) => this.#noise(line),
      },
      answer: (request) => this.#answer(request),
      endBySignal: quirks.endBySignal ?? false,
    })
    this.#process = started
    started.closed.addEventListener('abort', () => {
      if (this.#process === started && !this.#closing) void started.gone().then((error) => this.#fail(error))
    })
    const hello = started.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: files?.read === true, writeTextFile: files?.write === true },
        terminal: Boolean(terminals),
      },
      clientInfo: { name: 'remora', title: 'Remora', version: '0.1.0' },
    })
    try {
      this.#greeting = new Greeting(await within(hello, startupTimeout, signal, title))
      const { protocolVersion } = this.#greeting
      if (protocolVersion !== 1)
        throw new RemoraError(
          'unsupported',
          `${title} speaks version ${String(protocolVersion)} of ACP, not 1`,
          {
            hint: 'Another version of the agent may speak it.',
          },
        )
    } catch (error) {
      await started.stop({ force: true })
      throw error
    }
  }

  async #close(): Promise<void> {
    for (const session of this.sessions) await session.close()
    await this.#process.stop()
    await this.#deliveries.idle
    for (const protection of this.#protections.splice(0)) await this.#report(protection)
    await this.#deliveries.idle
  }

  /** What a person should know of a session that was resumed. */
  async #report({ id, finish }: ProtectedResume): Promise<void> {
    const problems = await finish()
    this.#tell(
      id,
      problems.map(({ code, message, hint }) => ({
        type: 'error',
        entity: `${this.id}/problem/${code}`,
        code: 'unknown',
        severity: 'warning',
        message,
        hint,
      })),
    )
  }

  #hear(from: 'client' | 'agent', message: AgentRecord): void {
    const events = this.#reader.read({ from, message })
    if (events) this.#deliveries.add(events)
    else this.#unknown(stringOf(message['method']) ?? 'message', message)
  }

  #noise(line: string): void {
    // Before there is a session there is nobody to tell; standard error has more to say then.
    this.#maker.next()
    this.#unknown('text', line)
  }

  #unknown(what: string, raw: unknown): void {
    if (this.#maker.session === '') return
    const update = stringOf(fieldsOf(fieldsOf(fieldsOf(raw)?.['params'])?.['update'])?.['sessionUpdate'])
    const name = update ?? what
    const entity = `${this.#maker.source}/unknown/${name}`
    this.#deliveries.add([this.#maker.make({ type: 'unknown', entity, what: name, raw })])
  }

  #take(events: readonly Event[]): void {
    const [first] = events
    if (!first) return
    const session = this.#sessions.get(first.session)
    if (session) session.take(events)
    else
      this.#early.set(first.session, [...(this.#early.get(first.session) ?? []), ...events.filter(lasting)])
  }

  async #answer(request: AgentRequest): Promise<unknown> {
    const session = this.#sessions.get(stringOf(request.params['sessionId']) ?? '')
    if (!session) throw unknownMethod(request.method)
    return session.opened.requests.answer(request)
  }

  async #request(method: string, params: object): Promise<AgentRecord> {
    this.#checkAlive()
    return this.#process.request(method, params)
  }

  #tell(session: string, fields: readonly EventFields[]): Event[] {
    if (fields.length === 0) return []
    const before = this.#maker.session
    this.#maker.session = session
    this.#maker.next(undefined, randomUUID())
    const events = fields.map((each) => this.#maker.make(each))
    this.#maker.session = before
    this.#deliveries.add(events, false)
    return events
  }

  async #fail(error: Error): Promise<void> {
    this.#ended ??= error
    // Nobody is told that it is over while something of it still runs.
    await this.#process.stop({ force: true })
    for (const session of this.#sessions.values()) session.fail(error)
  }

  #sinkFailed(cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    this.#sinkError = error
    for (const session of this.#sessions.values()) session.fail(error)
  }

  #checkAlive(): void {
    if (this.#closing) throw closedError()
    const failed = this.#ended ?? this.#sinkError
    if (failed) throw failed
  }

  #opening() {
    return {
      found: this.#found,
      latest: this.#latest,
      source: () => this.#maker.source,
      options: this.#options,
      greeting: this.#greeting,
      reader: this.#reader,
      link: this.#link,
      add: (session: Session): void => {
        this.#sessions.set(session.id, session)
        session.take(this.#early.get(session.id) ?? [])
        this.#early.delete(session.id)
      },
      protections: this.#protections,
    }
  }

  get #link(): Link {
    const found = this.#found
    const stderr = (): string => this.stderr
    return {
      title: found.title,
      options: this.#options,
      takes: this.#greeting.takes,
      lateMs: found.quirks.lateMs ?? 0,
      get stderr() {
        return stderr()
      },
      modeId: (mode) => found.acp.modes[mode as Mode] ?? mode,
      request: (method, params) => this.#request(method, params),
      notify: (method, params) => this.#process.notify(method, params),
      tell: (session, fields) => this.#tell(session, fields),
      fail: (error) => this.#fail(error),
      restart: () => this.restart(),
      leave: (session) => this.#leave(session),
      slow: () => {
        // Others on this connection must not wait for one who does not read.
        if (this.sessions.filter(({ waiting }) => waiting > 0).length < 2) this.#process.hold('reader', true)
      },
      read: () => this.#process.hold('reader', false),
      outputs: async (session, calls) =>
        (await found.acp.outputs?.(session.opened.place, session.id, calls)) ?? new Map(),
    }
  }

  async #leave(session: string): Promise<void> {
    this.#sessions.delete(session)
    if (this.#greeting.can('close') && !this.#ended)
      await this.#process.request('session/close', { sessionId: session }).catch(() => {})
  }
}

/** What a session must know of itself from the beginning. */
function lasting(event: Event): boolean {
  return event.type === 'session' || (event.type === 'status' && typeof event.value === 'string')
}

function closedError(): RemoraError {
  return new RemoraError('usage', 'The connection is closed', { hint: 'Open another with connect().' })
}
