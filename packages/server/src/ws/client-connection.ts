import { ClientMessage, type ServerMessage, RemoraError, parseCursor, parseJson } from '@remora/protocol'
import type { Terminal } from '@remora/sdk/terminal'
import type { WebSocket } from 'ws'
import type { Context } from '../core/context.ts'
import { Buckets } from '../security/buckets.ts'
import { tellable } from '../security/http-error.ts'
import type { Limits } from '../security/limits.ts'
import { allow, mayDo } from '../security/roles.ts'
import type { Who } from '../security/who.ts'
import { answerAsk } from './answer-ask.ts'
import type { Broadcast } from './broadcast.ts'
import type { FoldedSessions } from './folded-sessions.ts'
import { Following } from './following.ts'
import { Outbox } from './outbox.ts'
import type { Presence } from './presence.ts'
import { commandRoles, messageRoles } from './roles.ts'
import { ScreenView } from './screen-view.ts'
import { auditCommand, submitCommand } from './submit-command.ts'
import { Subscription } from './subscription.ts'

/** Signs are sent as text; of keys by name only these shapes exist. */
const keyName = /^(?:[CMS]-){0,3}(?:[A-Za-z0-9]|[A-Z][A-Za-z0-9]{1,11})$/
/** What one client may have under way at the same time. */
const mostUnderWay = 100
const knownTypes = new Set<unknown>(ClientMessage.options.map(({ shape }) => shape.type.value))
/** In which time one that means nothing is forgiven. */
const forgivenSeconds = 10
const mostScreens = 4

export interface ConnectionOptions {
  readonly socket: WebSocket
  readonly who: Who
  readonly context: Context
  readonly broadcast: Broadcast
  readonly folded: FoldedSessions
  readonly presence: Presence
  readonly limits: Limits
}

type Of<T extends ClientMessage['type']> = Extract<ClientMessage, { type: T }>

/** One client at its WebSocket. */
export class ClientConnection {
  readonly who: Who
  readonly outbox: Outbox
  readonly #options: ConnectionOptions
  readonly #rate: Buckets
  readonly #subscriptions = new Map<string, Subscription | Following>()
  readonly #screens = new Map<string, ScreenView>()
  /** The latest request for each screen. */
  readonly #screenWanted = new Map<string, object>()
  readonly #nonsense: Buckets
  #underWay = 0
  #closed = false
  /** When anything was heard last. */
  heardAt = Date.now()

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.who = options.who
    this.outbox = new Outbox(options.socket, options.limits)
    this.#rate = new Buckets(options.limits.messages)
    this.#nonsense = new Buckets({ perSecond: 1 / forgivenSeconds, burst: options.limits.nonsense - 1 })
    const { socket } = options
    socket.on('message', (data, isBinary) => this.#hear(data as Buffer, isBinary))
    socket.on('pong', () => (this.heardAt = Date.now()))
    // Frames that break the protocol; the socket closes itself.
    socket.on('error', () => socket.terminate())
    socket.on('close', () => this.#end())
  }

  get client(): string {
    return this.who.client
  }

  say(message: ServerMessage): void {
    this.outbox.put(JSON.stringify(message))
  }

  ping(): void {
    const { socket } = this.#options
    if (socket.readyState === socket.OPEN) socket.ping()
  }

  /** Nothing more is heard from now on, also if the other side does not go. */
  close(code: number, reason: string): void {
    const { socket } = this.#options
    this.#end()
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), 1000).unref()
  }

  #end(): void {
    this.#closed = true
    this.#options.presence.look(this, undefined)
    for (const subscription of this.#subscriptions.values()) subscription.close()
    for (const screen of this.#screens.values()) screen.close()
    this.#subscriptions.clear()
    this.#screens.clear()
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (this.#closed) return
    this.heardAt = Date.now()
    if (isBinary) return this.close(1003, 'Text only')
    if (!this.#rate.take('messages')) return this.close(1008, 'Too many messages')
    let value: unknown
    try {
      value = parseJson(data.toString())
    } catch {
      return this.close(1007, 'Invalid JSON')
    }
    const read = ClientMessage.safeParse(value)
    if (!read.success) return this.#misunderstood(value, read.error.issues[0]?.message)
    const message = read.data
    const { socket } = this.#options
    // Who has kept much while he was away is read at the pace at which it can be done.
    if (++this.#underWay >= mostUnderWay) socket.pause()
    void this.#handle(message)
      .catch((error: unknown) => this.#failed(message, error))
      .finally(() => {
        if (--this.#underWay < mostUnderWay && socket.isPaused) socket.resume()
      })
  }

  #misunderstood(value: unknown, why = 'invalid'): void {
    const { type, id } = (value ?? {}) as { type?: unknown; id?: unknown }
    const about = typeof id === 'string' ? { about: id.slice(0, 100) } : {}
    // A client may be newer than we are: it is told, and goes on.
    if (typeof type === 'string' && !knownTypes.has(type))
      return this.say({ type: 'error', code: 'unsupported', message: 'Unknown message type', ...about })
    if (!this.#nonsense.take('messages')) return this.close(1008, 'Invalid message')
    this.say({ type: 'error', code: 'usage', message: `Invalid message: ${why}`, ...about })
  }

  #failed(message: ClientMessage, error: unknown): void {
    const told = tellable(error)
    if (told.status >= 500)
      this.#options.context.log('error', 'a message failed', { type: message.type, why: String(error) })
    if (message.type === 'command' || message.type === 'edit')
      return this.say({ type: 'ack', id: message.id, state: 'refused', error: told.error })
    const about = 'id' in message ? message.id : 'live' in message ? message.live : undefined
    this.say({ type: 'error', ...told.error, ...(about === undefined ? {} : { about }) })
  }

  async #handle(message: ClientMessage): Promise<void> {
    allow(messageRoles[message.type], this.who)
    if (message.type === 'command') allow(commandRoles[message.body.kind], this.who)
    switch (message.type) {
      case 'ping':
        return this.say({ type: 'pong' })
      case 'subscribe':
        return this.#subscribe(message)
      case 'follow':
        return this.#follow(message)
      case 'unsubscribe':
        this.#subscriptions.get(message.id)?.close()
        this.#subscriptions.delete(message.id)
        return
      case 'looking':
        // One who cannot answer must not keep those who can from being called.
        if (!mayDo(this.who.role, 'member')) return undefined
        return this.#options.presence.look(this, message.session)
      case 'screen':
        return this.#screen(message)
      case 'keys':
        return this.#keys(message)
      case 'command':
        return this.#command(message)
      case 'edit':
        return this.#edit(message)
    }
  }

  #subscribe({ id, cursor: text, session, raw }: Of<'subscribe'>): void {
    const { context, broadcast } = this.#options
    const cursor = readCursor(text)
    this.#makeRoom(id)
    const subscription = new Subscription({
      ledger: context.ledger,
      broadcast,
      outbox: this.outbox,
      wanted: { id, session, raw },
      cursor,
      onError: (error) => this.#unreadable(error),
    })
    this.#subscriptions.set(id, subscription)
  }

  #follow({ id, session, last, cursor: text }: Of<'follow'>): void {
    const { folded } = this.#options
    const cursor = readCursor(text)
    this.#makeRoom(id)
    const following = new Following({
      sessions: folded,
      outbox: this.outbox,
      id,
      key: session,
      last,
      cursor,
      onError: (error) => this.#unreadable(error),
    })
    this.#subscriptions.set(id, following)
  }

  /** The same id again takes the place of the one before. */
  #makeRoom(id: string): void {
    const { limits } = this.#options
    this.#subscriptions.get(id)?.close()
    this.#subscriptions.delete(id)
    if (this.#subscriptions.size >= limits.subscriptions)
      throw new RemoraError(
        'rate_limit',
        `Too many subscriptions: the limit is ${limits.subscriptions} per connection`,
      )
  }

  /** The client comes back with its cursor, and misses nothing. */
  #unreadable(error: unknown): void {
    this.#options.context.log('error', 'a subscription failed', { why: String(error) })
    this.close(1011, 'Cannot read the ledger')
  }

  async #screen({ live, on }: Of<'screen'>): Promise<void> {
    this.#screenWanted.delete(live)
    this.#screens.get(live)?.close()
    this.#screens.delete(live)
    if (!on) return
    const wanted = {}
    this.#screenWanted.set(live, wanted)
    const terminal = await this.#terminal(live)
    // Turned off, asked for again or disconnected while the session was being restored.
    if (this.#closed || this.#screenWanted.get(live) !== wanted) return
    if (this.#screens.size >= mostScreens)
      throw new RemoraError('rate_limit', `Too many screens: the limit is ${mostScreens} per connection`)
    const view = new ScreenView(live, terminal, this.outbox, (error) =>
      this.say({ type: 'error', ...tellable(error).error, about: live }),
    )
    this.#screens.set(live, view)
  }

  async #keys({ live, keys }: Of<'keys'>): Promise<void> {
    for (const each of keys)
      if ('key' in each && !keyName.test(each.key))
        throw new RemoraError('usage', 'Unknown key', { hint: 'Send characters as text.' })
    const terminal = await this.#terminal(live)
    await terminal.press(...keys)
  }

  async #terminal(live: string): Promise<Terminal> {
    const { context } = this.#options
    await context.live.restored?.(live)
    const terminal = context.live.terminal(live)
    if (!terminal) throw new RemoraError('not_found', `Session ${live} has no terminal`)
    return terminal
  }

  async #command({ id, target, body }: Of<'command'>): Promise<void> {
    const { context } = this.#options
    if (body.kind === 'answer') {
      const { won, answer } = await answerAsk(context, target, body, this.who)
      if (won) return this.say({ type: 'ack', id, state: 'done', answer })
      const error = { code: 'conflict', message: 'Already answered' }
      return this.say({ type: 'ack', id, state: 'refused', answer, error })
    }
    const { state, reason } = await submitCommand(context, { id, target, body }, this.who)
    const error =
      state === 'refused' ? { error: { code: 'conflict', message: reason ?? 'Command rejected' } } : {}
    this.say({ type: 'ack', id, state, ...error })
  }

  async #edit({ id, command, client, body, withdraw }: Of<'edit'>): Promise<void> {
    const { live } = this.#options.context
    if ((body === undefined) === (withdraw === undefined))
      throw new RemoraError('usage', 'An edit needs new text or a withdrawal')
    const moved = body
      ? await live.edit({ id: command, client }, body)
      : await live.withdraw({ id: command, client })
    if (body) await auditCommand(this.#options.context, moved, this.who)
    this.say({ type: 'ack', id, state: moved.state })
  }
}

function readCursor(text: string | undefined) {
  const cursor = text === undefined ? undefined : parseCursor(text)
  if (text !== undefined && !cursor) throw new RemoraError('usage', 'Invalid cursor')
  return cursor
}
