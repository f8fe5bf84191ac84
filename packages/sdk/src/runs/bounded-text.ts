/** Keeps only the start and the end of a long text. @example new BoundedText(1000).add(chunk) */
export class BoundedText {
  readonly #half: number
  #head = ''
  #tail = ''
  #omitted = 0

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2)
  }

  add(text: string): void {
    const space = this.#half - this.#head.length
    this.#head += text.slice(0, Math.max(0, space))
    this.#tail += text.slice(Math.max(0, space))
    // Cut only when the tail is twice too long, because each cut copies it.
    if (this.#tail.length > this.#half * 2) {
      this.#omitted += this.#tail.length - this.#half
      this.#tail = this.#tail.slice(-this.#half)
    }
  }

  toString(): string {
    return this.#omitted === 0
      ? this.#head + this.#tail
      : `${this.#head}\n… ${this.#omitted} characters left out …\n${this.#tail}`
  }
}
