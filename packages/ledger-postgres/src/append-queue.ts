export interface Load {
  /**
   * The sessions it writes to. Appends to the same session never run at the same time or in one batch, and keep their
   * order.
   */
  readonly sessions: ReadonlySet<string>
  /** The number of events. */
  readonly size: number
}

/** A batch of this many events does not wait for more. */
const fullBatchSize = 200
/**
 * The number of concurrent transactions. Small batches run one after the other, unless one takes longer than the delay.
 */
const maxRunning = 3
const batchDelayMs = 200

/** Collects appends while the previous transaction runs, so that many small appends need few transactions. */
export class AppendQueue<T extends Load> {
  readonly #store: (loads: readonly T[]) => Promise<void>
  #waiting: T[] = []
  readonly #busy = new Set<string>()
  #running = 0
  /** When the last transaction started. */
  #startedAt = 0
  #scheduled = false
  #timer: NodeJS.Timeout | undefined

  /** @param store must not reject */
  constructor(store: (loads: readonly T[]) => Promise<void>) {
    this.#store = store
  }

  add(load: T): void {
    this.#waiting.push(load)
    this.#schedule()
  }

  /** Waits for further appends of the same event-loop turn. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      while (this.#running < maxRunning) {
        const loads = this.#takeBatch()
        if (loads.length === 0) break
        void this.#run(loads)
      }
      // An append that is blocked by another process must not block the others.
      if (this.#waiting.length > 0 && !this.#timer)
        this.#timer = setTimeout(() => this.#onTimer(), batchDelayMs)
    })
  }

  #onTimer(): void {
    this.#timer = undefined
    this.#schedule()
  }

  /** Takes the appends that may run now. */
  #takeBatch(): T[] {
    const loads: T[] = []
    const blocked = new Set(this.#busy)
    let size = 0
    for (const load of this.#waiting) {
      if (size >= fullBatchSize) break
      if (isDisjoint(load.sessions, blocked)) {
        loads.push(load)
        size += load.size
      }
      for (const session of load.sessions) blocked.add(session)
    }
    if (this.#running > 0 && size < fullBatchSize && performance.now() - this.#startedAt < batchDelayMs)
      return []
    const taken = new Set(loads)
    this.#waiting = this.#waiting.filter((load) => !taken.has(load))
    return loads
  }

  async #run(loads: readonly T[]): Promise<void> {
    const sessions = new Set(loads.flatMap((load) => [...load.sessions]))
    for (const session of sessions) this.#busy.add(session)
    this.#running++
    this.#startedAt = performance.now()
    await this.#store(loads)
    this.#running--
    for (const session of sessions) this.#busy.delete(session)
    this.#schedule()
  }
}

function isDisjoint(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  for (const each of left) if (right.has(each)) return false
  return true
}
