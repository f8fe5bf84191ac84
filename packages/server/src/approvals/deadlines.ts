/** The longest delay of a timer. */
const longest = 2 ** 31 - 1

/** Calls back at a time, however far away, unless it is cancelled. @example new Deadlines((id) => deny(id)) */
export class Deadlines {
  readonly #due: (id: string) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(due: (id: string) => void) {
    this.#due = due
  }

  set(id: string, at: number): void {
    this.delete(id)
    const left = at - Date.now()
    const next = (): void => {
      if (Date.now() < at) return this.set(id, at)
      this.#timers.delete(id)
      this.#due(id)
    }
    this.#timers.set(id, setTimeout(next, Math.min(Math.max(0, left), longest)).unref())
  }

  delete(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  clear(): void {
    for (const id of this.#timers.keys()) this.delete(id)
  }
}
