/** The text of one entity, written in pieces. Appending a piece does not copy the text. */
export class TextBuffer {
  #pieces: string[] = []
  #length = 0

  /** Overwrites the text at `offset`. A piece beyond the end is appended, since the text between them is lost. */
  write(offset: number, text: string): void {
    if (offset >= this.#length) {
      this.#pieces.push(text)
      this.#length += text.length
      return
    }
    const whole = this.toString()
    this.#set(whole.slice(0, offset) + text + whole.slice(offset + text.length))
  }

  /** Cuts the text to `length`, if a later record is shorter than an earlier one. */
  end(length: number): void {
    if (length < this.#length) this.#set(this.toString().slice(0, length))
  }

  toString(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')]
    return this.#pieces[0] ?? ''
  }

  #set(text: string): void {
    this.#pieces = [text]
    this.#length = text.length
  }
}
