import type { Ledger, SessionKey } from '@remora/ledger'
import type { Command, LiveInfo } from '@remora/protocol'
import type { OtherNodes } from './other-nodes.ts'
import { type FleetTimes, fleetTimes } from './heartbeats.ts'
import { describeOffline } from './machine-errors.ts'

export interface OpenCommandsOptions {
  readonly ledger: Pick<Ledger, 'commands'>
  readonly others: OtherNodes
  /** Sends the state of a command to the surfaces of this machine. */
  readonly report: (command: Command) => void
  /** Whether this machine runs the session. */
  readonly isLocal: (key: SessionKey) => boolean
  /** Finds the live session of a conversation, on any machine. */
  readonly findHolder: (key: SessionKey) => LiveInfo | undefined
  readonly times?: FleetTimes
}

interface Open {
  command: Command
  /** The session it is for; its id stays the same when the agent renames the conversation. */
  readonly live: LiveInfo
  /** Since when no machine could execute it. */
  lostAt?: number | undefined
}

/** Follows the commands for sessions of other machines and reports each change to the surfaces of this one. */
export class OpenCommands {
  readonly #options: OpenCommandsOptions
  readonly #times: FleetTimes
  readonly #open = new Map<string, Open>()
  /** Up to where changes were reported. */
  #cursor: number | undefined

  constructor(options: OpenCommandsOptions) {
    this.#options = options
    this.#times = options.times ?? fleetTimes
  }

  /** Adds a command that was submitted and reported here. */
  add(command: Command, live: LiveInfo): void {
    if (isOver(command)) return
    this.#open.set(getKey(command), { command, live })
  }

  /** Reports what changed since the last check, and refuses commands whose machine is gone. */
  async check(): Promise<void> {
    for (const command of await this.#readChanges()) this.#update(command)
    for (const [key, open] of this.#open) {
      if (open.command.state === 'queued') await this.#checkMachine(key, open)
      else open.lostAt = undefined
    }
  }

  /** By cursor, so that a command that starts and ends between two checks is reported too. */
  async #readChanges(): Promise<readonly Command[]> {
    const { commands } = this.#options.ledger
    const changes = await commands.changes(this.#cursor)
    if (this.#cursor !== undefined) {
      this.#cursor = changes.cursor
      return changes.commands
    }
    const open = [...(await commands.list({ state: 'queued' })), ...(await commands.list({ state: 'sent' }))]
    const added = await Promise.all([...this.#open.values()].map(({ command }) => commands.find(command)))
    this.#cursor = changes.cursor
    return [...open, ...added.filter((command) => command !== undefined)]
  }

  #update(command: Command): void {
    const { others, isLocal, report } = this.#options
    const key = getKey(command)
    const open = this.#open.get(key)
    // The server that runs the session reports its commands itself.
    if (!open && isLocal(command.target)) return
    const reported = open?.command
    const live = open?.live ?? others.of(command.target)
    if (isOver(command)) this.#open.delete(key)
    else if (open) open.command = command
    else if (live) this.#open.set(key, { command, live })
    if (JSON.stringify(command) !== JSON.stringify(reported)) report(command)
  }

  /** Refuses a queued command when the machine that should execute it is gone. */
  async #checkMachine(key: string, open: Open): Promise<void> {
    const { ledger, others, findHolder, report } = this.#options
    const { command } = open
    const info = others.get(open.live.id)
    const node = open.live.node!
    const silentMs = others.silentMs(node.id)
    const isOnline = silentMs !== undefined && silentMs <= this.#times.silentMs
    if (info && info.state !== 'ended' && isOnline) {
      open.lostAt = undefined
      // The agent renamed its conversation while the command was being stored.
      const holder = findHolder(command.target)
      if (info.session !== command.target.session && (!holder || holder.id === info.id))
        await ledger.commands.rekey(command.target, { agent: info.agent, session: info.session })
      return
    }
    open.lostAt ??= performance.now()
    // An online machine without the session has ended it. An offline one may come back, so wait.
    if (!isOnline && performance.now() - open.lostAt < this.#times.refuseMs) return
    const why = isOnline
      ? 'The session is not running'
      : describeOffline(node.name, silentMs ?? this.#times.refuseMs)
    const refused = await ledger.commands.move(command, 'queued', 'refused', why)
    if (refused) {
      // The entry stays until its change arrives by cursor, so that it is not reported twice.
      open.command = refused
      report(refused)
    } else if (!(await ledger.commands.find(command))) this.#open.delete(key)
  }
}

function isOver({ state }: Command): boolean {
  return state !== 'queued' && state !== 'sent'
}

function getKey({ client, id }: Pick<Command, 'client' | 'id'>): string {
  return JSON.stringify([client, id])
}
