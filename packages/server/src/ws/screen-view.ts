import type { Terminal } from '@remora/sdk/terminal'
import type { Outbox } from './outbox.ts'

/** A slow client that would need more gets the whole screen instead. */
const maxPending = 64_000

/**
 * One client's view of one terminal. Output that arrives while a frame is in flight is merged; if it grows too long, it
 * is dropped and the whole screen is sent instead.
 */
export class ScreenView {
  readonly #live: string
  readonly #terminal: Terminal
  readonly #outbox: Outbox
  readonly #ended = new AbortController()
  #pending = ''
  #sending = false
  #whole = true
  #size = ''

  constructor(live: string, terminal: Terminal, outbox: Outbox, onError: (error: unknown) => void) {
    this.#live = live
    this.#terminal = terminal
    this.#outbox = outbox
    this.#follow().catch((error: unknown) => {
      if (!this.#ended.signal.aborted) onError(error)
    })
  }

  close(): void {
    this.#ended.abort()
  }

  async #follow(): Promise<void> {
    // Output is requested before the screen is read, so that no output is lost between the two.
    const output = this.#terminal.output(this.#ended.signal)[Symbol.asyncIterator]()
    let next = output.next()
    this.#pump()
    for (;;) {
      const step = await next
      if (step.done || this.#ended.signal.aborted) return
      next = output.next()
      this.#pending += step.value
      if (this.#pending.length > maxPending) this.#whole = true
      if (this.#whole) this.#pending = ''
      this.#pump()
    }
  }

  #pump(): void {
    if (this.#sending || this.#ended.signal.aborted) return
    if (this.#getSize() !== this.#size) this.#whole = true
    if (!this.#whole && this.#pending === '') return
    const message = this.#whole ? this.#getWholeScreen() : { data: this.#pending }
    this.#whole = false
    this.#pending = ''
    this.#sending = true
    void this.#outbox.send(JSON.stringify({ type: 'screen', live: this.#live, ...message })).then((sent) => {
      this.#sending = false
      if (sent) this.#pump()
      else this.close()
    })
  }

  #getWholeScreen() {
    const { columns, lines } = this.#terminal.screen()
    this.#size = this.#getSize()
    return { data: this.#terminal.serialized(), whole: { columns, rows: lines.length } }
  }

  #getSize(): string {
    const { columns, lines } = this.#terminal.screen()
    return `${columns}x${lines.length}`
  }
}
