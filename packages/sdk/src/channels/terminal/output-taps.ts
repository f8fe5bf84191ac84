import { StringDecoder } from 'node:string_decoder'
import { Waiter } from '../../runs/waiter.ts'

/** How much may wait for one reader; a screen is a hundredth of it. */
const limit = 1024 * 1024

interface Tap {
  text: string
  readonly waiter: Waiter
}

/**
 * Hands the bytes of a pane to whoever looks on. A reader who does not keep up gets the screen as it is instead of
 * what he missed.
 */
export class OutputTaps {
  readonly #taps = new Set<Tap>()
  readonly #screen: () => string
  #decoder = new StringDecoder('utf8')
  #closed = false

  constructor(screen: () => string) {
    this.#screen = screen
  }

  add(bytes: Buffer): void {
    const text = this.#decoder.write(bytes)
    if (text === '') return
    for (const tap of this.#taps) {
      if (tap.text.length + text.length > limit) tap.text = this.#whole()
      else tap.text += text
      tap.waiter.wake()
    }
  }

  /** The screen has begun anew. */
  restart(): void {
    this.#decoder = new StringDecoder('utf8')
    for (const tap of this.#taps) {
      tap.text = this.#whole()
      tap.waiter.wake()
    }
  }

  close(): void {
    this.#closed = true
    for (const tap of this.#taps) tap.waiter.wake()
  }

  /** Listens from now on, not only from the first reading. */
  open(signal: AbortSignal): AsyncIterable<string> {
    const tap: Tap = { text: '', waiter: new Waiter() }
    this.#taps.add(tap)
    const stop = (): void => {
      this.#taps.delete(tap)
      tap.waiter.wake()
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    return this.#read(tap, signal, stop)
  }

  async *#read(tap: Tap, signal: AbortSignal, stop: () => void): AsyncGenerator<string, void, void> {
    try {
      while (!signal.aborted) {
        if (tap.text !== '') {
          const { text } = tap
          tap.text = ''
          yield text
        } else if (this.#closed) {
          return
        } else {
          await tap.waiter.wait()
        }
      }
    } finally {
      signal.removeEventListener('abort', stop)
      stop()
    }
  }

  #whole(): string {
    return `\u001Bc${this.#screen()}`
  }
}
