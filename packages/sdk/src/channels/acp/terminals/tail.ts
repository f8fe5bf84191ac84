/** Keeps the last bytes of an endless output. @example new Tail(1000).add(Buffer.from('hello')) */
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

  /** Accepts only whole UTF-8 characters. */
  add(bytes: Uint8Array): void {
    const added = bytes.subarray(Math.max(0, bytes.length - this.#limit))
    if (added.length < bytes.length) this.#truncated = true
    if (this.#length + added.length > this.#bytes.length) this.#makeRoom(added.length)
    this.#bytes.set(added, this.#length)
    this.#length += added.length
  }

  toString(): string {
    let start = Math.max(0, this.#length - this.#limit)
    // A cut character is dropped, because its remaining bytes would be misread.
    while (start < this.#length && ((this.#bytes[start] ?? 0) & 0xc0) === 0x80) start++
    return this.#bytes.toString('utf8', start, this.#length)
  }

  // Up to twice the limit is kept, so that bytes are moved rarely instead of at every chunk.
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
