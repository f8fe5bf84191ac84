export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/**
 * Counts what each of many may still do. A bucket fills again by itself; the fullest are forgotten when there are too many.
 *
 * @example if (!buckets.take(address)) throw new HttpError(429, 'rate_limit', 'Too many requests')
 */
export class Buckets {
  readonly #rate: Rate
  readonly #now: () => number
  readonly #most: number
  readonly #levels = new Map<string, { level: number; at: number }>()

  constructor(rate: Rate, now: () => number = Date.now, most = 2000) {
    this.#rate = rate
    this.#now = now
    this.#most = most
  }

  /** False if there is nothing left. */
  take(key: string): boolean {
    const now = this.#now()
    const known = this.#levels.get(key)
    const { perSecond, burst } = this.#rate
    const passed = known ? Math.max(0, now - known.at) / 1000 : 0
    const level = known ? Math.min(burst, known.level + passed * perSecond) : burst
    // Put in anew, so that the one longest unused stands first.
    this.#levels.delete(key)
    if (this.#levels.size >= this.#most) this.#forget(now)
    const enough = level >= 1
    this.#levels.set(key, { level: enough ? level - 1 : level, at: now })
    return enough
  }

  /** How long until there is something left again. */
  waitMs(key: string): number {
    const { level = 1 } = this.#levels.get(key) ?? {}
    return (Math.max(0, 1 - level) / this.#rate.perSecond) * 1000
  }

  get size(): number {
    return this.#levels.size
  }

  /** Those that are full again tell nothing; if all are in use, the one longest unused goes. */
  #forget(now: number): void {
    const { perSecond, burst } = this.#rate
    for (const [key, { level, at }] of this.#levels)
      if (level + ((now - at) / 1000) * perSecond >= burst) this.#levels.delete(key)
    const [oldest] = this.#levels.keys()
    if (this.#levels.size >= this.#most && oldest !== undefined) this.#levels.delete(oldest)
  }
}
