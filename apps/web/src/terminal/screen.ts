import type { ServerMessage } from '@remora/protocol'
import type { Terminal } from '@xterm/xterm'
import { fontSize } from './fit.ts'
import { openXterm } from './open-xterm.ts'
import { terminalTheme } from './terminal-theme.ts'

type ScreenMessage = Extract<ServerMessage, { type: 'screen' }>

/** The padding around the text. */
const edge = 16
const textDelayMs = 300

export interface ScreenOptions {
  /** The scrolling element, and the element that holds the text in it. */
  readonly scroller: HTMLElement
  readonly place: HTMLElement
  /** Called with the whole screen text, throttled. */
  readonly onText: (text: string) => void
}

/** The agent's screen at the largest size that fits. Keeps the cursor visible. */
export class Screen {
  readonly #options: ScreenOptions
  readonly #terminal: Terminal
  readonly #ratio: number
  readonly #over = new AbortController()
  readonly #observers: (ResizeObserver | MutationObserver)[]
  #zoom = 0
  #follows = true
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: ScreenOptions) {
    this.#options = options
    const { scroller, place } = options
    const { fontFamily } = getComputedStyle(place)
    this.#terminal = openXterm(place, { fontFamily })
    this.#ratio = measureCharacter(fontFamily)
    const size = new ResizeObserver(() => this.#fit())
    size.observe(scroller)
    const theme = new MutationObserver(() => (this.#terminal.options.theme = terminalTheme()))
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    this.#observers = [size, theme]
    const { signal } = this.#over
    scroller.addEventListener('scroll', () => (this.#follows = this.#isCursorSeen()), {
      signal,
      passive: true,
    })
  }

  /** Applies a whole screen or an update. */
  show({ data, whole }: ScreenMessage): void {
    const terminal = this.#terminal
    if (whole) {
      terminal.reset()
      terminal.resize(Math.max(2, whole.columns), Math.max(1, whole.rows))
      this.#fit()
    }
    terminal.write(data, () => this.#shown())
  }

  /** Zooms in steps from the size that fits. */
  zoom(steps: number): void {
    this.#zoom = steps
    this.#fit()
  }

  text(): string {
    const { active } = this.#terminal.buffer
    const lines = Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
    )
    return lines.join('\n').trimEnd()
  }

  /** The text selected with the mouse. */
  get selection(): string {
    return this.#terminal.getSelection()
  }

  /** Scrolls back to the cursor, for example when the user types. */
  follow(): void {
    this.#follows = true
    this.#toCursor(true)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#over.abort()
    for (const observer of this.#observers) observer.disconnect()
    this.#terminal.dispose()
  }

  #shown(): void {
    if (this.#over.signal.aborted) return
    if (this.#follows) this.#toCursor(false)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#options.onText(this.text())
    }, textDelayMs)
  }

  #fit(): void {
    const { scroller } = this.#options
    const width = scroller.clientWidth - edge
    if (width <= 0) return
    const terminal = this.#terminal
    const size = fontSize({ width, columns: terminal.cols, ratio: this.#ratio, zoom: this.#zoom })
    if (terminal.options.fontSize !== size) terminal.options.fontSize = size
    if (this.#follows) requestAnimationFrame(() => this.#toCursor(false))
  }

  /** The cursor position relative to the scroller. */
  #cursor() {
    const screen = this.#options.place.querySelector('.xterm-screen')
    if (!screen) return undefined
    const { active } = this.#terminal.buffer
    const grid = screen.getBoundingClientRect()
    const viewport = this.#options.scroller.getBoundingClientRect()
    const height = grid.height / this.#terminal.rows
    const width = grid.width / this.#terminal.cols
    return {
      top: grid.top - viewport.top + active.cursorY * height,
      left: grid.left - viewport.left + active.cursorX * width,
      height,
      width,
    }
  }

  #isCursorSeen(): boolean {
    const cursor = this.#cursor()
    return !cursor || (cursor.top > -cursor.height && cursor.top < this.#options.scroller.clientHeight)
  }

  #toCursor(isSideways: boolean): void {
    const cursor = this.#cursor()
    const { scroller } = this.#options
    if (!cursor) return
    // The lines below the cursor belong to the same input box.
    const below = cursor.top + cursor.height * 4 - scroller.clientHeight
    if (below > 0) scroller.scrollTop += below
    else if (cursor.top < 0) scroller.scrollTop += cursor.top - edge
    if (!isSideways) return
    const beyond = cursor.left + cursor.width * 4 - scroller.clientWidth
    if (beyond > 0) scroller.scrollLeft += beyond
    else if (cursor.left < 0) scroller.scrollLeft += cursor.left - edge
  }
}

/** The character width relative to the font size; 0.6 if it cannot be measured. */
function measureCharacter(fontFamily: string): number {
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) return 0.6
  pen.font = `100px ${fontFamily}`
  return pen.measureText('W').width / 100 || 0.6
}
