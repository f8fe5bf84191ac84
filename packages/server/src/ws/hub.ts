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

/** All clients that are connected, and what is told to all of them. */
export class Hub {
  readonly presence: Presence
  readonly #options: HubOptions
  readonly #limits: Limits
  readonly #broadcast: Broadcast
  readonly #folded: FoldedSessions
  readonly #connections = new Set<ClientConnection>()
  readonly #over: AbortController
  readonly #leave: (() => void)[]
  readonly #timer: NodeJS.Timeout
  #beatAt = Date.now()

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
      onError: (error) => log('error', 'a session could not be folded', { why: String(error) }),
    })
    this.#over = over
    this.#leave = [
      context.live.on((change) => this.#tell(...stateOfLive(change))),
      context.approvals.on((change) => this.#tell(...stateOfAsk(change))),
      devices.onRevoked((id) => this.#expel(({ client }) => client === id, 4401, 'Revoked')),
      // It comes back at once, as what it is now.
      people.onRole((name) => this.#expel(({ person }) => person === name, 4403, 'Role changed')),
    ]
    this.#timer = setInterval(() => this.#beat(), this.#heartbeatMs / 2)
    this.#timer.unref()
  }

  static async start(options: HubOptions): Promise<Hub> {
    const { ledger, log, signal } = options.context
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    return new Hub(options, await Broadcast.start(ledger, log, either), over)
  }

  get size(): number {
    return this.#connections.size
  }

  /** Throws if there are too many already. */
  checkRoom(who: Who): void {
    const own = [...this.#connections].filter(({ client }) => client === who.client).length
    const { sockets, socketsPerDevice } = this.#limits
    if (this.size >= sockets || (who.kind === 'device' && own >= socketsPerDevice))
      throw new HttpError(503, 'overloaded', 'Too many connections', 'Close unused connections.')
  }

  /** Greets a client whom the gate has let in. */
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
      if (who.kind === 'device') await this.#options.devices.seen(who.client)
      const asks = await context.approvals.pending()
      connection.say({
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
      // What changed meanwhile comes after it.
      connection.outbox.release()
    } catch (error) {
      context.log('error', 'a client could not be greeted', { why: String(error) })
      connection.close(1011, 'Internal server error')
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const leave of this.#leave) leave()
    for (const connection of this.#connections) connection.close(1001, 'The server is stopping')
    this.#folded.close()
    this.#over.abort()
    await this.#broadcast.ended
  }

  #tell(key: string, message: ServerMessage): void {
    if (this.#connections.size === 0) return
    const frame = Buffer.from(JSON.stringify(message))
    for (const { outbox } of this.#connections) outbox.state(key, frame)
  }

  #expel(isIt: (who: Who) => boolean, code: number, reason: string): void {
    for (const connection of this.#connections)
      if (connection.who.kind === 'device' && isIt(connection.who)) connection.close(code, reason)
  }

  /** Says that we are there, and gives those up who are not. */
  #beat(): void {
    const now = Date.now()
    // One who slept himself, as on a machine that was busy or closed, has not read yet what was said meanwhile.
    const hasSlept = now - this.#beatAt > this.#heartbeatMs
    this.#beatAt = now
    for (const connection of this.#connections) {
      if (hasSlept) connection.ping()
      else if (now - connection.heardAt > this.#staleMs) connection.close(4408, 'Heartbeat timeout')
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

function stateOfLive(change: LiveChange): [string, ServerMessage] {
  if (change.type === 'live') return [`live ${change.live.id}`, change]
  if (change.type === 'frame') return [`frame ${change.frame.live}`, change]
  return [`command ${change.command.client} ${change.command.id}`, change]
}

function stateOfAsk(change: ApprovalChange): [string, ServerMessage] {
  const id = change.type === 'ask' ? change.ask.id : change.answer.ask
  return [`ask ${change.agent} ${change.session} ${id}`, change]
}
