import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** Stands for a line end within the one line that is typed; it is seen, and can be deleted. */
export const lineMark = '↵'

const [start, end, altEnter] = ['\u001B[200~', '\u001B[201~', '\u001B\r']

/** What switches it on and off in a terminal. */
export const bracketedPaste = { on: '\u001B[?2004h', off: '\u001B[?2004l' }

/**
 * Makes one line of what is pasted: readline would take every line end in it for Enter. Alt+Enter puts a line end in as
 * well. Everything else goes through as it is.
 */
export class PasteFilter extends Transform {
  readonly isTTY = true
  readonly #source: NodeJS.ReadStream
  readonly #decoder = new StringDecoder('utf8')
  #pasting = false
  /** The beginning of a mark of which the rest has not come yet. */
  #rest = ''

  constructor(source: NodeJS.ReadStream) {
    super()
    this.#source = source
    source.pipe(this)
  }

  /** Readline asks its input for this. */
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
    // A lone Escape is a key and must not wait, unless something is being pasted.
    const open = this.#pasting ? openMark(rest, end, 1) : openMark(rest, start, 2)
    this.#rest = rest.slice(rest.length - open)
    return result + this.#piece(rest.slice(0, rest.length - open))
  }

  #piece(text: string): string {
    if (!this.#pasting) return text.replaceAll(altEnter, lineMark)
    // Only text is pasted: what commands the terminal would be taken for keys.
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    const plain = text.replaceAll(/\r\n?|\n/g, lineMark).replaceAll('\t', '    ')
    // oxlint-disable-next-line no-control-regex -- the same
    return plain.replaceAll(/[\u0000-\u001F\u007F]/g, '')
  }
}

/** How many signs at the end of a text may be the beginning of a mark, if they are at least so many. */
function openMark(text: string, mark: string, least: number): number {
  for (let length = Math.min(mark.length - 1, text.length); length >= least; length--)
    if (mark.startsWith(text.slice(-length))) return length
  return 0
}
