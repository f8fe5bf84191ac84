import type { NodeEntry, SessionKey } from '@remora/ledger'
import type { LiveInfo } from '@remora/protocol'
import { type FleetTimes, fleetTimes } from './heartbeats.ts'

/** The other machines and their live sessions, as last reported. */
export class OtherNodes {
  readonly #self: string
  readonly #times: FleetTimes
  #nodes = new Map<string, NodeEntry>()
  #live = new Map<string, LiveInfo>()
  #seenAt = 0

  constructor(self: string, times: FleetTimes = fleetTimes) {
    this.#self = self
    this.#times = times
  }

  /** Updates the machines. Returns the sessions that changed. */
  update(entries: readonly NodeEntry[]): LiveInfo[] {
    this.#seenAt = performance.now()
    this.#nodes = new Map(entries.filter(({ id }) => id !== this.#self).map((node) => [node.id, node]))
    return this.#compare()
  }

  /** Call when the ledger is unavailable: machines become offline with time. */
  age(): LiveInfo[] {
    return this.#compare()
  }

  list(): LiveInfo[] {
    return [...this.#live.values()]
  }

  get(id: string): LiveInfo | undefined {
    return this.#live.get(id)
  }

  of({ agent, session }: SessionKey): LiveInfo | undefined {
    return this.list().find(
      (info) =>
        info.agent === agent && (info.session === session || info.id === session) && info.state !== 'ended',
    )
  }

  getName(node: string): string | undefined {
    return this.#nodes.get(node)?.name
  }

  /** The time since the last heartbeat of a machine; undefined if it is unknown. */
  silentMs(node: string): number | undefined {
    const entry = this.#nodes.get(node)
    return entry && entry.silentMs + (performance.now() - this.#seenAt)
  }

  #compare(): LiveInfo[] {
    const before = this.#live
    this.#live = new Map()
    const changed: LiveInfo[] = []
    for (const node of this.#nodes.values())
      for (const info of this.#toInfos(node)) {
        this.#live.set(info.id, info)
        if (JSON.stringify(before.get(info.id)) !== JSON.stringify(info)) changed.push(info)
      }
    for (const [id, info] of before)
      if (!this.#live.has(id) && info.state !== 'ended') changed.push({ ...info, state: 'ended' })
    return changed
  }

  #toInfos({ id, name, live }: NodeEntry): LiveInfo[] {
    const silentMs = this.silentMs(id)!
    if (silentMs > this.#times.gaveUpMs) return []
    const silent = silentMs > this.#times.silentMs ? { silent: true as const } : {}
    return live
      .filter(({ state }) => state !== 'ended' || !silent.silent)
      .map((info) => ({ ...info, node: { id, name, ...silent } }))
  }
}
