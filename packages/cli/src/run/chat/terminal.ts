import { type Interface, createInterface } from 'node:readline'
import { cleanColoured } from '../../output/guard-output.ts'
import { textWidth } from '../../output/text-width.ts'
import { PasteFilter, bracketedPaste, lineMark } from './paste.ts'

interface TerminalHandlers {
  /** The user pressed Enter; the text may have several lines. */
  line(text: string): void
  /** Ctrl+C, with the text of the input line. */
  interrupt(line: string): void
  /** Ctrl+D on an empty line, or the terminal is closed. */
  end(): void
}

/**
 * A terminal with an input line below the output. Output continues where it stopped, and the input line moves down.
 */
export class Terminal {
  readonly #input: PasteFilter
  readonly #output: NodeJS.WriteStream
  readonly #lines: Interface
  /** The unfinished row above the input line. */
  #tail = ''
  #shown = false
  #closed = false
  /** Whether Enter has already ended the unfinished row. */
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

  /** The prompt of the input line. */
  set prompt(text: string) {
    this.#lines.setPrompt(text)
    if (this.#shown) this.show()
  }

  /** The typed text that is not sent. */
  get line(): string {
    return this.#lines.line
  }

  replaceLine(text: string): void {
    Object.assign(this.#lines, { line: text, cursor: text.length })
    if (this.#shown) this.#lines.prompt(true)
  }

  /** Removes an answer from the history of the arrow keys. */
  forgetLine(text: string): void {
    const { history } = this.#lines as Interface & { history?: string[] }
    if (history?.[0] === text) history.shift()
  }

  show(): void {
    if (this.#closed) return
    this.#shown = true
    this.#lines.prompt(true)
  }

  /** Writes above the input line. */
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

  /** Erases the input line and moves the cursor to its start. */
  #clear(): string {
    const { rows } = this.#lines.getCursorPos()
    // Readline remembers the cursor's row and would move up again.
    Object.assign(this.#lines, { prevRows: 0 })
    return `${rows > 0 ? `\u001B[${rows}A` : ''}\r\u001B[J`
  }
}

// oxlint-disable-next-line no-control-regex -- colors have no width
const colour = /\u001B\[[\d;]*m/g

function unfinished(text: string): boolean {
  return text.slice(text.lastIndexOf('\n') + 1).replaceAll(colour, '') !== ''
}

// oxlint-disable-next-line no-control-regex -- it must match colors
const tokens = /\u001B\[[\d;]*m|[\s\S]/gu
const ends = new Set(['0', '22', '39', '49', ''])

/**
 * The last row after a text was written from the start of a row, to draw it again. Empty if the next character starts a
 * row.
 *
 * @example tailRow('one\ntwo', 80) // 'two'
 */
export function tailRow(text: string, columns: number): string {
  let row = ''
  let width = 0
  let colour = ''
  for (const [token] of text.slice(text.lastIndexOf('\n') + 1).matchAll(tokens)) {
    if (token.startsWith('\u001B[')) {
      colour = ends.has(token.slice(2, -1)) ? '' : colour + token
      row += token
      continue
    }
    const tokenWidth = textWidth(token)
    if (width + tokenWidth > columns) [row, width] = [colour, 0]
    row += token
    width += tokenWidth
  }
  return width === 0 || width === columns ? '' : row
}
