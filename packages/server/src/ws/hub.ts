import { type ServerMessage, heartbeatMs, staleMs } from '@remora/protocol'
import type { WebSocket } from 'ws'
import type { ApprovalChange } from '../core/approvals.ts'
import type { Context } from '../core/context.ts'
import type { LiveChange } from '../core/live.ts'
import type { Devices } from '../security/devices.ts'
import type { People } from '../security/people.ts'
import { HttpError } from '../security/http-error.ts'
import { type Limits, limits } from '../security/limits.ts'
import type { Who } from '../security/who.ts'
import { Broadcast } from './broadcast.ts'
import { ClientConnection } from './client-connection.ts'
import { FoldedSessions } from './folded-sessions.ts'
import { Presence } from './presence.ts'

export interface HubOptions {
  readonly context: Context
  readonly devices: Devices
  readonly people: Pick<People, 'onRole'>
  readonly presence?: Presence
  readonly limits?: Limits
  readonly heartbeatMs?: number
  readonly staleMs?: number
}

/** The connected clients, and the changes that are sent to all of them. */
export class Hub {
  readonly presence: Presence
  readonly #options: HubOptions
  readonly #limits: Limits
  readonly #broadcast: Broadcast
  readonly #folded: FoldedSessions
  readonly #connections = new Set<ClientConnection>()
  readonly #over: AbortController
  readonly #unsubscribe: (() => void)[]
  readonly #timer: NodeJS.Timeout
  #heartbeatAt = Date.now()

  private constructor(options: HubOptions, broadcast: Broadcast, over: AbortController) {
    const { context, devices, people } = options
    this.#options = options
    this.#limits = options.limits ?? limits
    this.presence = options.presence ?? new Presence()
    this.#broadcast = broadcast
    const { ledger, log } = context
    this.#folded = new FoldedSessions({
      ledger,
      broadcast,
      onError: (error) => log('error', 'Cannot fold a session', { why: String(error) }),
    })
    this.#over = over
    this.#unsubscribe = [
      context.live.on((change) => this.#publish(...toLiveState(change))),
      context.approvals.on((change) => this.#publish(...toAskState(change))),
      devices.onRevoked((id) => this.#disconnect(({ client }) => client === id, 4401, 'Revoked')),
      // The client reconnects at once with its new role.
      people.onRole((name) => this.#disconnect(({ person }) => person === name, 4403, 'Role changed')),
    ]
    this.#timer = setInterval(() => this.#checkHeartbeats(), this.#heartbeatMs / 2)
    this.#timer.unref()
  }

  static async start(options: HubOptions): Promise<Hub> {
    const { ledger, log, signal } = options.context
    const over = new AbortController()
    const ended = AbortSignal.any([signal, over.signal])
    return new Hub(options, await Broadcast.start(ledger, log, ended), over)
  }

  get size(): number {
    return this.#connections.size
  }

  /** Throws if there are too many connections. */
  checkCapacity(who: Who): void {
    const own = [...this.#connections].filter(({ client }) => client === who.client).length
    const { sockets, socketsPerDevice } = this.#limits
    if (this.size >= sockets || (who.kind === 'device' && own >= socketsPerDevice))
      throw new HttpError(503, 'overloaded', 'Too many connections', 'Close unused connections.')
  }

  /** Greets an authenticated client. */
  async accept(socket: WebSocket, who: Who): Promise<void> {
    const { context, presence } = { ...this.#options, presence: this.presence }
    const broadcast = this.#broadcast
    const connection = new ClientConnection({
      socket,
      who,
      context,
      broadcast,
      folded: this.#folded,
      presence,
      limits: this.#limits,
    })
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
    try {
      if (who.kind === 'device') await this.#options.devices.markSeen(who.client)
      const asks = await context.approvals.pending()
      connection.send({
        type: 'hello',
        version: context.version,
        epoch: context.ledger.epoch,
        client: who.client,
        person: who.person,
        role: who.role,
        heartbeatMs: this.#heartbeatMs,
        staleMs: this.#staleMs,
        live: context.live.list(),
        asks,
      })
      // Changes in the meantime follow the greeting.
      connection.outbox.release()
    } catch (error) {
      context.log('error', 'Cannot greet a client', { why: String(error) })
      connection.close(1011, 'Internal server error')
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    for (const connection of this.#connections) connection.close(1001, 'The server is stopping')
    this.#folded.close()
    this.#over.abort()
    await this.#broadcast.ended
  }

  #publish(key: string, message: ServerMessage): void {
    if (this.#connections.size === 0) return
    const frame = Buffer.from(JSON.stringify(message))
    for (const { outbox } of this.#connections) outbox.sendState(key, frame)
  }

  #disconnect(matches: (who: Who) => boolean, code: number, reason: string): void {
    for (const connection of this.#connections)
      if (connection.who.kind === 'device' && matches(connection.who)) connection.close(code, reason)
  }

  /** Pings every client, and disconnects the ones that stopped responding. */
  #checkHeartbeats(): void {
    const now = Date.now()
    // After a suspend, this process has not read yet what clients sent in the meantime.
    const wasSuspended = now - this.#heartbeatAt > this.#heartbeatMs
    this.#heartbeatAt = now
    for (const connection of this.#connections) {
      if (wasSuspended) connection.ping()
      else if (now - connection.lastMessageAt > this.#staleMs) connection.close(4408, 'Heartbeat timeout')
      else if (connection.outbox.stalled) connection.close(4409, 'Client too slow')
      else connection.ping()
    }
  }

  get #heartbeatMs(): number {
    return this.#options.heartbeatMs ?? heartbeatMs
  }

  get #staleMs(): number {
    return this.#options.staleMs ?? staleMs
  }
}

function toLiveState(change: LiveChange): [string, ServerMessage] {
  if (change.type === 'live') return [`live ${change.live.id}`, change]
  if (change.type === 'frame') return [`frame ${change.frame.live}`, change]
  return [`command ${change.command.client} ${change.command.id}`, change]
}

function toAskState(change: ApprovalChange): [string, ServerMessage] {
  const id = change.type === 'ask' ? change.ask.id : change.answer.ask
  return [`ask ${change.agent} ${change.session} ${id}`, change]
}
