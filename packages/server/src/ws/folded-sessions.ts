import type { SessionKey } from '@remora/ledger'
import { type FoldedOptions, FoldedSession } from './folded-session.ts'
import { TimeSlices } from './time-slices.ts'

/** A follower often returns at once, for example after a lost connection. */
const keptMs = 15_000

export type FoldedSessionsOptions = Omit<FoldedOptions, 'key'>

/** The followed sessions, each folded once for all its followers. */
export class FoldedSessions {
  /** Schedules the frames for followers. */
  readonly slices = new TimeSlices()
  readonly #options: FoldedSessionsOptions
  readonly #open = new Map<string, { folded: FoldedSession; uses: number; timer?: NodeJS.Timeout }>()

  constructor(options: FoldedSessionsOptions) {
    this.#options = options
  }

  /** Opens a session, or shares the open one, until `leave` is called. */
  use(key: SessionKey): { folded: FoldedSession; leave: () => void } {
    const name = JSON.stringify([key.agent, key.session])
    let entry = this.#open.get(name)
    if (!entry) {
      entry = { folded: new FoldedSession({ ...this.#options, key }), uses: 0 }
      this.#open.set(name, entry)
      // After a read error the next follower reads the session again.
      entry.folded.ready.catch(() => this.#drop(name))
    }
    const used = entry
    clearTimeout(used.timer)
    used.uses += 1
    let left = false
    return {
      folded: used.folded,
      leave: () => {
        if (left) return
        left = true
        used.uses -= 1
        if (used.uses === 0) used.timer = setTimeout(() => this.#drop(name), keptMs).unref()
      },
    }
  }

  close(): void {
    for (const name of this.#open.keys()) this.#drop(name)
  }

  #drop(name: string): void {
    const entry = this.#open.get(name)
    clearTimeout(entry?.timer)
    entry?.folded.close()
    this.#open.delete(name)
  }
}
