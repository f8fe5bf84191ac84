/**
 * A changing value, for readers that want the current value and not every change.
 *
 * @example for await (const now of latest.watch(signal)) show(now)
 */
export class Latest<T> {
  #value: T
  #key: string
  #version = 0
  #closed = false
  readonly #waiting = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
    this.#key = JSON.stringify(value)
  }

  get value(): T {
    return this.#value
  }

  /** Returns whether the value has changed. */
  set(value: T): boolean {
    const key = JSON.stringify(value)
    if (key === this.#key || this.#closed) return false
    this.#value = value
    this.#key = key
    this.#version++
    this.#wake()
    return true
  }

  /** Ends all readers, after the last value. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  async *watch(signal: AbortSignal): AsyncGenerator<T, void, void> {
    let seen = -1
    while (!signal.aborted) {
      if (seen !== this.#version) {
        seen = this.#version
        yield this.#value
      } else if (this.#closed) {
        return
      } else {
        await this.#change(signal)
      }
    }
  }

  /** Waits for the next change; false after a timeout. */
  async changed(withinMs: number): Promise<boolean> {
    const before = this.#version
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), withinMs)
    await this.#change(controller.signal)
    clearTimeout(timer)
    return this.#version !== before
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
      if (signal.aborted || this.#closed) done()
    })
  }

  #wake(): void {
    for (const done of this.#waiting) done()
  }
}
