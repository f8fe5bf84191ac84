import type { Ledger, SessionKey } from '@remora/ledger'
import type { Command, LiveInfo } from '@remora/protocol'
import type { OtherNodes } from './other-nodes.ts'
import { type FleetTimes, fleetTimes } from './times.ts'
import { silence } from './words.ts'

export interface OpenCommandsOptions {
  readonly ledger: Pick<Ledger, 'commands'>
  readonly others: OtherNodes
  readonly tell: (command: Command) => void
  /** The live session of a conversation, on any machine. */
  readonly holderOf: (key: SessionKey) => LiveInfo | undefined
  readonly times?: FleetTimes
}

interface Open {
  command: Command
  /** For whom it is, whatever the agent calls its conversation meanwhile. */
  readonly live: LiveInfo
  /** Since when nobody is there who could do it. */
  lostAt?: number | undefined
}

/** Commands for sessions of other machines, until they are over: every surface here hears how they stand. */
export class OpenCommands {
  readonly #options: OpenCommandsOptions
  readonly #times: FleetTimes
  readonly #open = new Map<string, Open>()

  constructor(options: OpenCommandsOptions) {
    this.#options = options
    this.#times = options.times ?? fleetTimes
  }

  /** One that was sent from here. */
  add(command: Command, live: LiveInfo): void {
    if (isOver(command)) return
    this.#open.set(nameOf(command), { command, live })
  }

  /** Looks how they stand now. */
  async look(): Promise<void> {
    const { ledger, others } = this.#options
    const queued = await ledger.commands.list({ state: 'queued' })
    const all = [...queued, ...(await ledger.commands.list({ state: 'sent' }))]
    const now = new Map(all.map((command) => [nameOf(command), command]))
    for (const [name, command] of now) {
      if (this.#open.has(name)) continue
      const live = others.of(command.target)
      if (!live) continue
      this.#open.set(name, { command, live })
      this.#options.tell(command)
    }
    for (const [name, open] of this.#open) {
      const command = now.get(name)
      if (!command) await this.#conclude(name, open)
      else {
        if (JSON.stringify(command) !== JSON.stringify(open.command)) this.#options.tell(command)
        open.command = command
        if (command.state === 'queued') await this.#heed(name, open)
        else open.lostAt = undefined
      }
    }
  }

  /** It is neither waiting nor under way. */
  async #conclude(name: string, open: Open): Promise<void> {
    const { ledger, tell } = this.#options
    const before = open.command
    // By its id: the session may be called by another one before its machine has told so.
    const found = await ledger.commands.find(before)
    // Put back, or stored, since the lists were read. In its place: what is set anew would come up again in the same look.
    if (found && !isOver(found)) open.command = found
    else this.#open.delete(name)
    if (found && JSON.stringify(found) !== JSON.stringify(before)) tell(found)
  }

  async #heed(name: string, open: Open): Promise<void> {
    const { ledger, others, holderOf, tell } = this.#options
    const { command } = open
    const info = others.get(open.live.id)
    const node = open.live.node!
    const silentMs = others.silentMs(node.id)
    if (info && info.state !== 'ended' && silentMs !== undefined && silentMs <= this.#times.silentMs) {
      open.lostAt = undefined
      // It has got another id while this was stored.
      const holder = holderOf(command.target)
      if (info.session !== command.target.session && (!holder || holder.id === info.id))
        await ledger.commands.rekey(command.target, { agent: info.agent, session: info.session })
      return
    }
    open.lostAt ??= performance.now()
    const isGone = silentMs !== undefined && silentMs <= this.#times.silentMs
    // Its own machine says so: there is nothing to wait for. One that is silent may come back in a moment.
    if (!isGone && performance.now() - open.lostAt < this.#times.refuseMs) return
    const why = isGone ? 'The session is not live' : silence(node.name, silentMs ?? this.#times.refuseMs)
    const refused = await ledger.commands.move(command, 'queued', 'refused', why)
    if (!refused) return
    this.#open.delete(name)
    tell(refused)
  }
}

function isOver({ state }: Command): boolean {
  return state !== 'queued' && state !== 'sent'
}

function nameOf({ client, id }: Pick<Command, 'client' | 'id'>): string {
  return JSON.stringify([client, id])
}
