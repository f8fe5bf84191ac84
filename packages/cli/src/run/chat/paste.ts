import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Marks a line end within the input line. It is visible and can be deleted. */
export const lineMark = '↵'

const [start, end, altEnter] = ['\u001B[200~', '\u001B[201~', '\u001B\r']

/** Control sequences that turn bracketed paste on and off. */
export const bracketedPaste = { on: '\u001B[?2004h', off: '\u001B[?2004l' }

/**
 * Turns pasted text into one line, because readline would read each line end as Enter. Alt+Enter inserts a line end.
 * Other input passes unchanged.
 */
export class PasteFilter extends Transform {
  readonly isTTY = true
  readonly #source: NodeJS.ReadStream
  readonly #decoder = new StringDecoder('utf8')
  #pasting = false
  /** The start of an incomplete mark. */
  #rest = ''

  constructor(source: NodeJS.ReadStream) {
    super()
    this.#source = source
    source.pipe(this)
  }

  /** Required by readline. */
  setRawMode(raw: boolean): this {
    this.#source.setRawMode(raw)
    return this
  }

  detach(): void {
    this.#source.unpipe(this)
    this.#source.pause()
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const text = this.#filter(this.#rest + this.#decoder.write(chunk))
    done(null, text === '' ? undefined : text)
  }

  #filter(text: string): string {
    let result = ''
    let rest = text
    for (;;) {
      const mark = this.#pasting ? end : start
      const at = rest.indexOf(mark)
      if (at < 0) break
      result += this.#piece(rest.slice(0, at))
      rest = rest.slice(at + mark.length)
      this.#pasting = !this.#pasting
    }
    // A lone Escape is a key and must not be delayed, except during a paste.
    const open = this.#pasting ? openMark(rest, end, 1) : openMark(rest, start, 2)
    this.#rest = rest.slice(rest.length - open)
    return result + this.#piece(rest.slice(0, rest.length - open))
  }

  #piece(text: string): string {
    if (!this.#pasting) return text.replaceAll(altEnter, lineMark)
    // Control characters are removed from pasted text, since readline would read them as keys.
    // oxlint-disable-next-line no-control-regex -- it must match control characters
    const plain = text.replaceAll(/\r\n?|\n/g, lineMark).replaceAll('\t', '    ')
    // oxlint-disable-next-line no-control-regex -- the same
    return plain.replaceAll(/[\u0000-\u001F\u007F]/g, '')
  }
}

/** The length of the text's end that may be the start of a mark. */
function openMark(text: string, mark: string, least: number): number {
  for (let length = Math.min(mark.length - 1, text.length); length >= least; length--)
    if (mark.startsWith(text.slice(-length))) return length
  return 0
}
