// oxlint-disable no-control-regex -- these are keys
/** Ctrl+B and D, also as a terminal sends them in the extended keyboard protocols. */
const prefix = /^(?:\u0002|\u001B\[98;5u|\u001B\[27;5;98~)/
const detach = /^(?:d|D|\u001B\[100(?:;[12])?u)/

/**
 * Finds Ctrl+B, D in the keys of a window, as in tmux. Ctrl+B twice sends it once. All else passes unchanged.
 *
 * @example const keys = new DetachKeys((bytes) => host.write(bytes), () => host.close())
 */
export class DetachKeys {
  readonly #send: (bytes: Buffer) => void
  readonly #onDetach: () => void
  /** The prefix that was pressed last, as it arrived. */
  #pressed: string | undefined

  constructor(send: (bytes: Buffer) => void, onDetach: () => void) {
    this.#send = send
    this.#onDetach = onDetach
  }

  /** A key arrives whole: a terminal writes each in one piece. */
  read(chunk: Buffer): void {
    // Latin-1, so that every byte is a character.
    let text = chunk.toString('latin1')
    if (this.#pressed !== undefined) {
      const pressed = this.#pressed
      this.#pressed = undefined
      if (detach.test(text)) return this.#onDetach()
      const [again = ''] = prefix.exec(text) ?? []
      this.#send(Buffer.from(pressed, 'latin1'))
      text = text.slice(again.length)
    }
    // Only a key of its own: a pasted text may contain the same byte.
    const [last] = prefix.exec(text) ?? []
    if (last !== undefined && (last.length === text.length || detach.test(text.slice(last.length)))) {
      if (last.length < text.length) return this.#onDetach()
      this.#pressed = last
      return
    }
    if (text !== '') this.#send(Buffer.from(text, 'latin1'))
  }
}
