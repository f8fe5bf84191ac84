import { SerializeAddon } from '@xterm/addon-serialize'
import xterm from '@xterm/headless'
import type { Screen } from '../../contract/agent.ts'
import type { Captured } from './capture.ts'

/**
 * Emulates the screen of a pane from its output. It answers no terminal queries, since tmux does.
 *
 * @example
 * screen.write(bytes, () => show(screen.screen().lines))
 */
export class PaneScreen {
  readonly #terminal: InstanceType<typeof xterm.Terminal>
  readonly #serializer = new SerializeAddon()
  #title = ''

  constructor(columns: number, rows: number) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true })
    this.#terminal.loadAddon(this.#serializer)
    this.#terminal.onTitleChange((title) => (this.#title = title.slice(0, maxTitleLength)))
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#terminal.write(bytes, done)
  }

  /** Replaces the screen by a snapshot. */
  seed(captured: Captured, done: () => void): void {
    const { columns, rows } = captured
    // Queued after earlier writes, so that the order is that of tmux.
    this.#terminal.write('', () => {
      this.#terminal.reset()
      if (this.#terminal.cols !== columns || this.#terminal.rows !== rows)
        this.#terminal.resize(columns, rows)
      this.#title = captured.title
    })
    this.#terminal.write(captured.bytes, done)
  }

  screen(): Screen {
    const buffer = this.#terminal.buffer.active
    const lines: string[] = []
    for (let row = 0; row < this.#terminal.rows; row++) {
      lines.push(
        buffer
          .getLine(buffer.baseY + row)
          ?.translateToString(true)
          .trimEnd() ?? '',
      )
    }
    return {
      title: this.#title,
      lines,
      columns: this.#terminal.cols,
      cursor: { x: buffer.cursorX, y: buffer.cursorY },
    }
  }

  serialized(): string {
    return this.#serializer.serialize({ scrollback: 0 })
  }

  dispose(): void {
    this.#terminal.dispose()
  }
}

const maxTitleLength = 1000
