import type { SessionKey } from '@remora/ledger'
import { type FoldedOptions, FoldedSession } from './folded-session.ts'

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

/** How long the work may block the event loop at a time. */
const sliceMs = 20

/** Runs small tasks in order, and lets other work run in between. */
export class TimeSlices {
  readonly #waiting: (() => void)[] = []
  #isScheduled = false

  /** Runs the task soon, after earlier ones. */
  add(work: () => void): void {
    this.#waiting.push(work)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const end = performance.now() + sliceMs
      const due = this.#waiting.length
      let done = 0
      try {
        while (done < due && (done === 0 || performance.now() < end)) this.#waiting[done++]!()
      } finally {
        this.#waiting.splice(0, done)
        if (this.#waiting.length > 0) this.#schedule()
      }
    })
  }
}
