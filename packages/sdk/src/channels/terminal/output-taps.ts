import { StringDecoder } from 'node:string_decoder'
import { Waiter } from '../../runs/waiter.ts'

/** How much may be buffered for one reader; a screen is a hundredth of it. */
const maxBuffered = 1024 * 1024

interface Tap {
  text: string
  readonly waiter: Waiter
}

/**
 * Sends the output of a pane to its readers. A reader that does not keep up gets the current screen instead of the output
 * that it missed.
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
      if (tap.text.length + text.length > maxBuffered) tap.text = this.#whole()
      else tap.text += text
      tap.waiter.wake()
    }
  }

  /** The screen was captured again. */
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

  /** Buffers output from now on, not only from the first read. */
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
