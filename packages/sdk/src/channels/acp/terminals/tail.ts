/** The last bytes of an output that may be endless. @example new Tail(1000).add(Buffer.from('hello')) */
export class Tail {
  readonly #limit: number
  #bytes = Buffer.alloc(0)
  #length = 0
  #truncated = false

  constructor(limit: number) {
    this.#limit = limit
  }

  get truncated(): boolean {
    return this.#truncated || this.#length > this.#limit
  }

  /** Takes whole characters of UTF-8 only. */
  add(bytes: Uint8Array): void {
    const added = bytes.subarray(Math.max(0, bytes.length - this.#limit))
    if (added.length < bytes.length) this.#truncated = true
    if (this.#length + added.length > this.#bytes.length) this.#makeRoom(added.length)
    this.#bytes.set(added, this.#length)
    this.#length += added.length
  }

  toString(): string {
    let start = Math.max(0, this.#length - this.#limit)
    // A character that was cut is left out: its other bytes would be read as something else.
    while (start < this.#length && ((this.#bytes[start] ?? 0) & 0xc0) === 0x80) start++
    return this.#bytes.toString('utf8', start, this.#length)
  }

  // Twice the limit is kept, so that bytes are moved once for every limit of them and not at every piece.
  #makeRoom(more: number): void {
    const start = Math.max(0, this.#length + more - this.#limit)
    const drop = this.#length + more > 2 * this.#limit ? Math.min(start, this.#length) : 0
    if (drop > 0) this.#truncated = true
    const kept = this.#length - drop
    const size = Math.min(2 * this.#limit, Math.max(2 * (kept + more), 1024))
    const next = size > this.#bytes.length ? Buffer.alloc(size) : this.#bytes
    this.#bytes.copy(next, 0, drop, this.#length)
    this.#bytes = next
    this.#length = kept
  }
}
