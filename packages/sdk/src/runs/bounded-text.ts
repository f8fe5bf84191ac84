/** Keeps the start and the end of an unlimited text. @example new BoundedText(1000).add(chunk) */
export class BoundedText {
  readonly #half: number
  #head = ''
  #tail = ''
  #left = 0

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2)
  }

  add(text: string): void {
    const room = this.#half - this.#head.length
    this.#head += text.slice(0, Math.max(0, room))
    this.#tail += text.slice(Math.max(0, room))
    // Cut rarely, because cutting at every piece would copy the tail each time.
    if (this.#tail.length > this.#half * 2) {
      this.#left += this.#tail.length - this.#half
      this.#tail = this.#tail.slice(-this.#half)
    }
  }

  toString(): string {
    return this.#left === 0
      ? this.#head + this.#tail
      : `${this.#head}\n… ${this.#left} characters left out …\n${this.#tail}`
  }
}
