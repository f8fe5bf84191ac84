export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/**
 * Token buckets by key. They refill over time; full ones are removed when there are too many.
 *
 * @example if (!buckets.take(address)) throw new HttpError(429, 'rate_limit', 'Too many requests')
 */
export class Buckets {
  readonly #rate: Rate
  readonly #now: () => number
  readonly #maxKeys: number
  readonly #levels = new Map<string, { level: number; at: number }>()

  constructor(rate: Rate, now: () => number = Date.now, maxKeys = 2000) {
    this.#rate = rate
    this.#now = now
    this.#maxKeys = maxKeys
  }

  /** Takes a token, or returns false if the bucket is empty. */
  take(key: string): boolean {
    const now = this.#now()
    const known = this.#levels.get(key)
    const { perSecond, burst } = this.#rate
    const passed = known ? Math.max(0, now - known.at) / 1000 : 0
    const level = known ? Math.min(burst, known.level + passed * perSecond) : burst
    // Deleted and inserted again, so that the least recently used key is first.
    this.#levels.delete(key)
    if (this.#levels.size >= this.#maxKeys) this.#evict(now)
    const enough = level >= 1
    this.#levels.set(key, { level: enough ? level - 1 : level, at: now })
    return enough
  }

  /** How long until the bucket has a token. */
  waitMs(key: string): number {
    const { level = 1 } = this.#levels.get(key) ?? {}
    return (Math.max(0, 1 - level) / this.#rate.perSecond) * 1000
  }

  get size(): number {
    return this.#levels.size
  }

  /** Removes full buckets, or else the least recently used one. */
  #evict(now: number): void {
    const { perSecond, burst } = this.#rate
    for (const [key, { level, at }] of this.#levels)
      if (level + ((now - at) / 1000) * perSecond >= burst) this.#levels.delete(key)
    const [oldest] = this.#levels.keys()
    if (this.#levels.size >= this.#maxKeys && oldest !== undefined) this.#levels.delete(oldest)
  }
}
