import { ClientMessage, RemoraError, type ServerMessage, parseCursor, parseJson } from '@remora/protocol'
import type { Terminal } from '@remora/sdk/terminal'
import type { WebSocket } from 'ws'
import type { Context } from '../core/context.ts'
import { Buckets } from '../security/buckets.ts'
import { toErrorResponse } from '../security/http-error.ts'
import type { Limits } from '../security/limits.ts'
import { requireAccess, commandRoles, includesRole, messageRoles } from '../security/roles.ts'
import type { Who } from '../security/who.ts'
import { answerAsk, auditCommand, submitCommand } from './commands.ts'
import type { Broadcast } from './broadcast.ts'
import type { FoldedSessions } from './folded-sessions.ts'
import { Following } from './following.ts'
import { Outbox } from './outbox.ts'
import type { Presence } from './presence.ts'
import { ScreenView } from './screen-view.ts'
import { Subscription } from './subscription.ts'

/** The names of special keys, such as `C-c` or `Enter`; characters are sent as text. */
const keyName = /^(?:[CMS]-){0,3}(?:[A-Za-z0-9]|[A-Z][A-Za-z0-9]{1,11})$/
/** How many messages of one client may be handled at the same time. */
const maxInFlight = 100
const knownTypes = new Set<unknown>(ClientMessage.options.map(({ shape }) => shape.type.value))
/** Refill interval of the invalid-message limit. */
const invalidRefillSeconds = 10
const maxScreens = 4

export interface ConnectionOptions {
  readonly socket: WebSocket
  readonly who: Who
  readonly context: Context
  readonly broadcast: Broadcast
  readonly folded: FoldedSessions
  readonly presence: Presence
  readonly limits: Limits
}

type MessageOf<T extends ClientMessage['type']> = Extract<ClientMessage, { type: T }>

/** One client connected by WebSocket. */
export class ClientConnection {
  readonly who: Who
  readonly outbox: Outbox
  readonly #options: ConnectionOptions
  readonly #rate: Buckets
  readonly #subscriptions = new Map<string, Subscription | Following>()
  readonly #screens = new Map<string, ScreenView>()
  /** The latest request for each screen. */
  readonly #screenRequests = new Map<string, object>()
  readonly #invalidRate: Buckets
  #inFlight = 0
  #closed = false
  /** When the client last sent anything. */
  lastMessageAt = Date.now()

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.who = options.who
    this.outbox = new Outbox(options.socket, options.limits)
    this.#rate = new Buckets(options.limits.messages)
    this.#invalidRate = new Buckets({
      perSecond: 1 / invalidRefillSeconds,
      burst: options.limits.invalidMessages - 1,
    })
    const { socket } = options
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    socket.on('pong', () => (this.lastMessageAt = Date.now()))
    // Emitted for frames that violate the protocol.
    socket.on('error', () => socket.terminate())
    socket.on('close', () => this.#end())
  }

  get client(): string {
    return this.who.client
  }

  send(message: ServerMessage): void {
    this.outbox.put(JSON.stringify(message))
  }

  ping(): void {
    const { socket } = this.#options
    if (socket.readyState === socket.OPEN) socket.ping()
  }

  /** Ignores the client from now on, even if it does not close its side. */
  close(code: number, reason: string): void {
    const { socket } = this.#options
    this.#end()
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), 1000).unref()
  }

  #end(): void {
    this.#closed = true
    this.#options.presence.setView(this, undefined)
    for (const subscription of this.#subscriptions.values()) subscription.close()
    for (const screen of this.#screens.values()) screen.close()
    this.#subscriptions.clear()
    this.#screens.clear()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#closed) return
    this.lastMessageAt = Date.now()
    if (isBinary) return this.close(1003, 'Text only')
    if (!this.#rate.take('messages')) return this.close(1008, 'Too many messages')
    let value: unknown
    try {
      value = parseJson(data.toString())
    } catch {
      return this.close(1007, 'Invalid JSON')
    }
    const parsed = ClientMessage.safeParse(value)
    if (!parsed.success) return this.#rejectInvalid(value, parsed.error.issues[0]?.message)
    const message = parsed.data
    const { socket } = this.#options
    // Backpressure: a client that was offline may send its whole outbox at once.
    if (++this.#inFlight >= maxInFlight) socket.pause()
    void this.#handle(message)
      .catch((error: unknown) => this.#reportFailure(message, error))
      .finally(() => {
        if (--this.#inFlight < maxInFlight && socket.isPaused) socket.resume()
      })
  }

  #rejectInvalid(value: unknown, reason = 'invalid'): void {
    const { type, id } = (value ?? {}) as { type?: unknown; id?: unknown }
    const about = typeof id === 'string' ? { about: id.slice(0, 100) } : {}
    // A newer client may send types that this server does not know, so they do not count as invalid.
    if (typeof type === 'string' && !knownTypes.has(type))
      return this.send({ type: 'error', code: 'unsupported', message: 'Unknown message type', ...about })
    if (!this.#invalidRate.take('messages')) return this.close(1008, 'Invalid message')
    this.send({ type: 'error', code: 'usage', message: `Invalid message: ${reason}`, ...about })
  }

  #reportFailure(message: ClientMessage, error: unknown): void {
    const response = toErrorResponse(error)
    if (response.status >= 500)
      this.#options.context.log('error', 'Cannot handle a message', {
        type: message.type,
        why: String(error),
      })
    if (message.type === 'command' || message.type === 'edit')
      return this.send({ type: 'ack', id: message.id, state: 'refused', error: response.error })
    const about = 'id' in message ? message.id : 'live' in message ? message.live : undefined
    this.send({ type: 'error', ...response.error, about })
  }

  async #handle(message: ClientMessage): Promise<void> {
    requireAccess(messageRoles[message.type], this.who)
    if (message.type === 'command') requireAccess(commandRoles[message.body.kind], this.who)
    switch (message.type) {
      case 'ping':
        return this.send({ type: 'pong' })
      case 'subscribe':
        return this.#subscribe(message)
      case 'follow':
        return this.#follow(message)
      case 'unsubscribe':
        this.#subscriptions.get(message.id)?.close()
        this.#subscriptions.delete(message.id)
        return
      case 'looking':
        // A viewer cannot answer, so its presence must not suppress notifications to those who can.
        if (!includesRole(this.who.role, 'member')) return undefined
        return this.#options.presence.setView(this, message.session)
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

  #subscribe({ id, cursor: text, session, raw }: MessageOf<'subscribe'>): void {
    const { context, broadcast } = this.#options
    const cursor = readCursor(text)
    this.#replaceSubscription(id)
    const subscription = new Subscription({
      ledger: context.ledger,
      broadcast,
      outbox: this.outbox,
      filter: { id, session, raw },
      cursor,
      onError: (error) => this.#closeUnreadable(error),
    })
    this.#subscriptions.set(id, subscription)
  }

  #follow({ id, session, last, cursor: text }: MessageOf<'follow'>): void {
    const { folded } = this.#options
    const cursor = readCursor(text)
    this.#replaceSubscription(id)
    const following = new Following({
      sessions: folded,
      outbox: this.outbox,
      id,
      key: session,
      last,
      cursor,
      onError: (error) => this.#closeUnreadable(error),
    })
    this.#subscriptions.set(id, following)
  }

  /** Closes the subscription with this id, and checks the limit for the new one. */
  #replaceSubscription(id: string): void {
    const { limits } = this.#options
    this.#subscriptions.get(id)?.close()
    this.#subscriptions.delete(id)
    if (this.#subscriptions.size >= limits.subscriptions)
      throw new RemoraError(
        'rate_limit',
        `Too many subscriptions: the limit is ${limits.subscriptions} per connection`,
      )
  }

  /** Closes the connection: the client reconnects with its cursor and misses nothing. */
  #closeUnreadable(error: unknown): void {
    this.#options.context.log('error', 'Cannot continue a subscription', { why: String(error) })
    this.close(1011, 'Cannot read the ledger')
  }

  async #screen({ live, on }: MessageOf<'screen'>): Promise<void> {
    this.#screenRequests.delete(live)
    this.#screens.get(live)?.close()
    this.#screens.delete(live)
    if (!on) return
    const request = {}
    this.#screenRequests.set(live, request)
    const terminal = await this.#terminal(live)
    // The client closed the screen, requested it again or disconnected while the session was restored.
    if (this.#closed || this.#screenRequests.get(live) !== request) return
    if (this.#screens.size >= maxScreens)
      throw new RemoraError('rate_limit', `Too many screens: the limit is ${maxScreens} per connection`)
    const view = new ScreenView(live, terminal, this.outbox, (error) =>
      this.send({ type: 'error', ...toErrorResponse(error).error, about: live }),
    )
    this.#screens.set(live, view)
  }

  async #keys({ live, keys }: MessageOf<'keys'>): Promise<void> {
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

  async #command({ id, target, body }: MessageOf<'command'>): Promise<void> {
    const { context } = this.#options
    if (body.kind === 'answer') {
      const { won, answer } = await answerAsk(context, target, body, this.who)
      if (won) return this.send({ type: 'ack', id, state: 'done', answer })
      const error = { code: 'conflict', message: 'Already answered' }
      return this.send({ type: 'ack', id, state: 'refused', answer, error })
    }
    const { state, reason } = await submitCommand(context, { id, target, body }, this.who)
    const error =
      state === 'refused' ? { error: { code: 'conflict', message: reason ?? 'Command rejected' } } : {}
    this.send({ type: 'ack', id, state, ...error })
  }

  async #edit({ id, command, client, body, withdraw }: MessageOf<'edit'>): Promise<void> {
    const { live } = this.#options.context
    if ((body === undefined) === (withdraw === undefined))
      throw new RemoraError('usage', 'An edit needs new text or a withdrawal')
    const moved = body
      ? await live.edit({ id: command, client }, body)
      : await live.withdraw({ id: command, client })
    if (body) await auditCommand(this.#options.context, moved, this.who)
    this.send({ type: 'ack', id, state: moved.state })
  }
}

function readCursor(text: string | undefined) {
  const cursor = text === undefined ? undefined : parseCursor(text)
  if (text !== undefined && !cursor) throw new RemoraError('usage', 'Invalid cursor')
  return cursor
}
