import { SerializeAddon } from '@xterm/addon-serialize'
import xterm from '@xterm/headless'
import type { Screen } from '../contract/agent.ts'
import { setCharacterWidths } from './character-widths.ts'
import type { KeyModes } from './encode-key.ts'

/** How many rows above the screen a window gets when it attaches. */
const scrollback = 1000
const maxTitleLength = 1000

export type ScreenTerminal = InstanceType<typeof xterm.Terminal>

/** Reads the visible rows of an emulator. */
export function readScreenOf(terminal: ScreenTerminal, title: string): Screen {
  const buffer = terminal.buffer.active
  const lines = Array.from(
    { length: terminal.rows },
    (_, row) =>
      buffer
        .getLine(buffer.baseY + row)
        ?.translateToString(true)
        .trimEnd() ?? '',
  )
  return { title, lines, columns: terminal.cols, cursor: { x: buffer.cursorX, y: buffer.cursorY } }
}

/** Private state of the emulator that no snapshot of its own contains. */
interface Core {
  readonly buffer?: { readonly scrollTop?: number; readonly scrollBottom?: number }
  readonly coreService?: { readonly isCursorHidden?: boolean }
}

/** The screen of a PTY host. It answers the agent's terminal queries while no window does. */
export class ScreenModel {
  readonly #terminal: ScreenTerminal
  readonly #serializer = new SerializeAddon()
  #title = ''

  constructor(columns: number, rows: number, onAnswer: (text: string) => void) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback, allowProposedApi: true })
    setCharacterWidths(this.#terminal)
    this.#terminal.loadAddon(this.#serializer)
    this.#terminal.onTitleChange((title) => (this.#title = title.slice(0, maxTitleLength)))
    this.#terminal.onData(onAnswer)
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#terminal.write(bytes, done)
  }

  /** Calls back when everything that was written before is part of the screen. */
  settle(done: () => void): void {
    this.#terminal.write('', done)
  }

  resize(columns: number, rows: number): void {
    this.settle(() => this.#terminal.resize(columns, rows))
  }

  /** Clears everything, for an agent that is started again. */
  reset(): void {
    this.settle(() => {
      this.#terminal.reset()
      this.#title = ''
    })
  }

  get modes(): KeyModes {
    const { applicationCursorKeysMode, bracketedPasteMode } = this.#terminal.modes
    return { applicationCursor: applicationCursorKeysMode, bracketedPaste: bracketedPasteMode }
  }

  screen(): Screen {
    return readScreenOf(this.#terminal, this.#title)
  }

  /** Whether each pattern, with `*` and `?` as wildcards, matches a part of a row. */
  shows(patterns: readonly string[]): boolean {
    const { lines } = this.screen()
    return patterns.every((pattern) => {
      const expression = toExpression(pattern)
      return lines.some((line) => expression.test(line))
    })
  }

  /** The output that draws the screen on an empty terminal; with the rows above it, for a window. */
  drawing({ history = false } = {}): string {
    const { baseY, cursorX, cursorY } = this.#terminal.buffer.active
    const { originMode } = this.#terminal.modes
    const core = (this.#terminal as unknown as { readonly _core?: Core })._core
    const { scrollTop = 0, scrollBottom = this.#terminal.rows - 1 } = core?.buffer ?? {}
    return [
      this.#serializer.serialize({ scrollback: history ? baseY : 0 }),
      `\u001B[${scrollTop + 1};${scrollBottom + 1}r`,
      `\u001B[${cursorY + 1 - (originMode ? scrollTop : 0)};${cursorX + 1}H`,
      core?.coreService?.isCursorHidden ? '\u001B[?25l' : '',
      this.#title === '' ? '' : `\u001B]2;${this.#title}\u0007`,
    ].join('')
  }
}

function toExpression(pattern: string): RegExp {
  const wildcards: Readonly<Record<string, string>> = { '*': '.*', '?': '.' }
  return new RegExp(pattern.replaceAll(/[*?.+^${}()|[\]\\]/g, (each) => wildcards[each] ?? `\\${each}`))
}
