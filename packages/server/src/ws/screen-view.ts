import type { Terminal } from '@remora/sdk/terminal'
import type { Outbox } from './outbox.ts'

/** More than this is not kept for a client that is slow: it gets the whole screen again instead. */
const keptBytes = 64_000

/**
 * One client's view of one terminal. While bytes are on their way, what comes next is put together; if that gets long,
 * it is dropped, and the whole screen follows as soon as the client is ready.
 */
export class ScreenView {
  readonly #live: string
  readonly #terminal: Terminal
  readonly #outbox: Outbox
  readonly #ended = new AbortController()
  #waiting = ''
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
    // The first step is made before the screen is taken, so that nothing falls in between.
    const output = this.#terminal.output(this.#ended.signal)[Symbol.asyncIterator]()
    let next = output.next()
    this.#pump()
    for (;;) {
      const step = await next
      if (step.done || this.#ended.signal.aborted) return
      next = output.next()
      this.#waiting += step.value
      if (this.#waiting.length > keptBytes) this.#whole = true
      if (this.#whole) this.#waiting = ''
      this.#pump()
    }
  }

  #pump(): void {
    if (this.#sending || this.#ended.signal.aborted) return
    if (this.#sizeNow() !== this.#size) this.#whole = true
    if (!this.#whole && this.#waiting === '') return
    const message = this.#whole ? this.#wholeScreen() : { data: this.#waiting }
    this.#whole = false
    this.#waiting = ''
    this.#sending = true
    void this.#outbox.send(JSON.stringify({ type: 'screen', live: this.#live, ...message })).then((sent) => {
      this.#sending = false
      if (sent) this.#pump()
      else this.close()
    })
  }

  #wholeScreen() {
    const { columns, lines } = this.#terminal.screen()
    this.#size = this.#sizeNow()
    return { data: this.#terminal.serialized(), whole: { columns, rows: lines.length } }
  }

  #sizeNow(): string {
    const { columns, lines } = this.#terminal.screen()
    return `${columns}x${lines.length}`
  }
}
