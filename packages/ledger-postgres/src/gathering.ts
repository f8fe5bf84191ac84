/** Something to be stored. */
export interface Load {
  /** What it touches: two that touch the same are not under way at once, not even together, and keep their order. */
  readonly sessions: ReadonlySet<string>
  /** How many events. */
  readonly size: number
}

/** From so many events on nothing is gained by waiting for more. */
const large = 200
/** So many transactions are under way at once. Small ones go one after the other, unless one takes longer than this. */
const mostRunning = 3
const patience = 200

/**
 * Gathers what is to be stored while the transaction before is under way, so that much of little takes few transactions.
 */
export class Gathering<T extends Load> {
  readonly #store: (loads: readonly T[]) => Promise<void>
  #waiting: T[] = []
  readonly #busy = new Set<string>()
  #running = 0
  /** When the last one began. */
  #began = 0
  #soon = false
  #later: NodeJS.Timeout | undefined

  /** @param store must not reject */
  constructor(store: (loads: readonly T[]) => Promise<void>) {
    this.#store = store
  }

  add(load: T): void {
    this.#waiting.push(load)
    this.#leave()
  }

  /** With whatever comes in the same turn. */
  #leave(): void {
    if (this.#soon || this.#waiting.length === 0) return
    this.#soon = true
    setImmediate(() => {
      this.#soon = false
      while (this.#running < mostRunning) {
        const loads = this.#next()
        if (loads.length === 0) break
        void this.#run(loads)
      }
      // One that is held up by another process holds up nobody else.
      if (this.#waiting.length > 0 && !this.#later) this.#later = setTimeout(() => this.#again(), patience)
    })
  }

  #again(): void {
    this.#later = undefined
    this.#leave()
  }

  /** What may go now. */
  #next(): T[] {
    const loads: T[] = []
    const blocked = new Set(this.#busy)
    let size = 0
    for (const load of this.#waiting) {
      if (size >= large) break
      if (isDisjoint(load.sessions, blocked)) {
        loads.push(load)
        size += load.size
      }
      for (const session of load.sessions) blocked.add(session)
    }
    if (this.#running > 0 && size < large && performance.now() - this.#began < patience) return []
    const gone = new Set(loads)
    this.#waiting = this.#waiting.filter((load) => !gone.has(load))
    return loads
  }

  async #run(loads: readonly T[]): Promise<void> {
    const sessions = new Set(loads.flatMap((load) => [...load.sessions]))
    for (const session of sessions) this.#busy.add(session)
    this.#running++
    this.#began = performance.now()
    await this.#store(loads)
    this.#running--
    for (const session of sessions) this.#busy.delete(session)
    this.#leave()
  }
}

function isDisjoint(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  for (const each of left) if (right.has(each)) return false
  return true
}
