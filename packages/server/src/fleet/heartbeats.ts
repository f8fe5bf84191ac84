import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, OwnNode } from '@remora/ledger'
import type { Live } from '../core/live.ts'
import type { Log } from '../core/log.ts'

export interface HeartbeatsOptions {
  readonly ledger: Pick<Ledger, 'nodes'>
  /** The live sessions of this machine. */
  readonly live: Pick<Live, 'list' | 'on' | 'restored'>
  /** Read each time, because the user can rename the machine. */
  readonly self: () => Promise<OwnNode>
  readonly version: string
  readonly log: Log
  readonly times?: FleetTimes
}

/**
 * Reports this machine and its live sessions to the others: every few seconds, and shortly after a change.
 *
 * @example const heartbeats = new Heartbeats({ ledger, live, self: () => getOwnNode(remoraHome), version, log })
 */
export class Heartbeats {
  readonly #options: HeartbeatsOptions
  readonly #times: FleetTimes
  readonly #closed = new AbortController()
  readonly #running: Promise<void>
  #reported = ''
  #wake = (): void => {}
  #hasFailed = false

  constructor(options: HeartbeatsOptions) {
    this.#options = options
    this.#times = options.times ?? fleetTimes
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    const unsubscribe = this.#options.live.on((change) => {
      // Frames change many times a second, the reported state rarely.
      if (change.type === 'live' && this.#state() !== this.#reported) this.#wake()
    })
    // Otherwise other machines would list sessions as ended that are not restored yet.
    await this.#options.live.restored?.()
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => (this.#wake = resolve))
      await this.#report()
      await this.#pause(this.#times.changeMs)
      if (this.#state() === this.#reported) await Promise.race([changed, this.#pause(this.#times.beatMs)])
    }
    unsubscribe()
  }

  async #report(): Promise<void> {
    const { ledger, live, self, version, log } = this.#options
    try {
      const { id, name } = await self()
      const list = live.list()
      await ledger.nodes.heartbeat({ id, name, version, live: list })
      this.#reported = JSON.stringify(list)
      this.#hasFailed = false
    } catch (error) {
      this.#reported = this.#state()
      if (!this.#hasFailed && !this.#closed.signal.aborted)
        log('warn', 'Cannot send the heartbeat of this machine', { error: (error as Error).message })
      this.#hasFailed = true
    }
  }

  #state(): string {
    return JSON.stringify(this.#options.live.list())
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#closed.signal, ref: false }).catch(() => {})
  }
}

/** Intervals and timeouts of heartbeats, in milliseconds. */
export interface FleetTimes {
  /** Interval of heartbeats without a change. */
  readonly beatMs: number
  /** Shortest interval between heartbeats, and between checks of other machines. */
  readonly changeMs: number
  /** Interval of checks of other machines without a notification. */
  readonly pollMs: number
  /** A machine without a heartbeat for this long is offline. */
  readonly silentMs: number
  /** How long a command waits for an offline machine. */
  readonly refuseMs: number
  /** Sessions of a machine that is offline for this long are not listed. */
  readonly gaveUpMs: number
}

export const fleetTimes: FleetTimes = {
  beatMs: 5_000,
  changeMs: 250,
  pollMs: 5_000,
  silentMs: 20_000,
  refuseMs: 60_000,
  gaveUpMs: 24 * 60 * 60 * 1000,
}
