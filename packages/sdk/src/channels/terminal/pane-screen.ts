import { SerializeAddon } from '@xterm/addon-serialize'
import xterm from '@xterm/headless'
import type { Screen } from '../../contract/agent.ts'
import { readScreenOf } from '../../pty/screen-model.ts'
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
    return readScreenOf(this.#terminal, this.#title)
  }

  serialized(): string {
    return this.#serializer.serialize({ scrollback: 0 })
  }

  dispose(): void {
    this.#terminal.dispose()
  }
}

const maxTitleLength = 1000
