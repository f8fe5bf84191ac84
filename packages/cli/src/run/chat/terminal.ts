import { type Interface, createInterface } from 'node:readline'
import { cleanColoured } from '../../output/guard-output.ts'
import { textWidth } from '../../output/text-width.ts'
import { PasteFilter, bracketedPaste, lineMark } from './paste.ts'

export interface TerminalHandlers {
  /** A person pressed Enter; the text may have several lines. */
  line(text: string): void
  /** Ctrl+C, with what stood on the line. */
  interrupt(line: string): void
  /** Ctrl+D on an empty line, or the terminal has gone. */
  end(): void
}

/**
 * A terminal with one line to type on, below everything that is written meanwhile. Text that comes in pieces is written
 * on where it stopped; what a person has typed so far moves down with it.
 */
export class Terminal {
  readonly #input: PasteFilter
  readonly #output: NodeJS.WriteStream
  readonly #lines: Interface
  /** What stands on the unfinished row above the line. */
  #tail = ''
  #shown = false
  #closed = false
  /** Enter has ended a row on which more was to come, so that nobody need do it again. */
  #ended = false

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, handlers: TerminalHandlers) {
    this.#input = new PasteFilter(input)
    this.#output = output
    this.#lines = createInterface({ input: this.#input, output, terminal: true, historySize: 500 })
    output.write(bracketedPaste.on)
    this.#lines.on('line', (text) => {
      this.#shown = false
      this.#ended = this.#tail !== ''
      this.#tail = ''
      handlers.line(text.replaceAll(lineMark, '\n'))
      this.show()
    })
    this.#lines.on('SIGINT', () => {
      const { line } = this.#lines
      this.replaceLine('')
      handlers.interrupt(line)
    })
    this.#lines.on('close', () => {
      if (!this.#closed) handlers.end()
    })
  }

  /** What stands before the line. */
  set prompt(text: string) {
    this.#lines.setPrompt(text)
    if (this.#shown) this.show()
  }

  /** What is typed and not sent. */
  get line(): string {
    return this.#lines.line
  }

  replaceLine(text: string): void {
    Object.assign(this.#lines, { line: text, cursor: text.length })
    if (this.#shown) this.#lines.prompt(true)
  }

  /** Keeps an answer to a question out of what the arrow keys bring back. */
  forgetLine(text: string): void {
    const { history } = this.#lines as Interface & { history?: string[] }
    if (history?.[0] === text) history.shift()
  }

  show(): void {
    if (this.#closed) return
    this.#shown = true
    this.#lines.prompt(true)
  }

  /** Writes above the line. */
  write(raw: string): void {
    const words = cleanColoured(raw)
    const text = this.#ended && words.startsWith('\n') ? words.slice(1) : words
    this.#ended &&= words === ''
    if (text === '' || this.#closed) return
    const columns = this.#output.columns || 80
    const back = this.#shown ? this.#clear() : ''
    const onto = this.#tail === '' ? '' : '\u001B[1A\r\u001B[J'
    const row = this.#tail + text
    this.#tail = tailRow(row, columns)
    this.#output.write(`${back}${onto}${row.replaceAll('\n', '\r\n')}${unfinished(row) ? '\r\n' : ''}`)
    if (this.#shown) this.show()
  }

  close(): void {
    if (this.#closed) return
    if (this.#shown) this.#output.write(this.#clear())
    this.#closed = true
    this.#shown = false
    this.#lines.close()
    this.#output.write(bracketedPaste.off)
    this.#input.detach()
  }

  /** Takes the line off the screen; the cursor is then where it began. */
  #clear(): string {
    const { rows } = this.#lines.getCursorPos()
    // Readline remembers on which row the cursor was, and would go up by as many once more.
    Object.assign(this.#lines, { prevRows: 0 })
    return `${rows > 0 ? `\u001B[${rows}A` : ''}\r\u001B[J`
  }
}

// oxlint-disable-next-line no-control-regex -- what colours a text takes no place
const colour = /\u001B\[[\d;]*m/g

function unfinished(text: string): boolean {
  return text.slice(text.lastIndexOf('\n') + 1).replaceAll(colour, '') !== ''
}

// oxlint-disable-next-line no-control-regex -- colours are what this is about
const token = /\u001B\[[\d;]*m|[\s\S]/gu
const ends = new Set(['0', '22', '39', '49', ''])

/**
 * What stands on the last row of a terminal after a text was written from the start of a row, so that it can be written
 * again. Empty if the next sign would begin a row.
 *
 * @example tailRow('one\ntwo', 80) // 'two'
 */
export function tailRow(text: string, columns: number): string {
  let row = ''
  let width = 0
  let colour = ''
  for (const [sign] of text.slice(text.lastIndexOf('\n') + 1).matchAll(token)) {
    if (sign.startsWith('\u001B[')) {
      colour = ends.has(sign.slice(2, -1)) ? '' : colour + sign
      row += sign
      continue
    }
    const places = textWidth(sign)
    if (width + places > columns) [row, width] = [colour, 0]
    row += sign
    width += places
  }
  return width === 0 || width === columns ? '' : row
}
