/** How long watching continues after the last subscriber leaves, because most subscribe again soon. */
const lingerMs = 5000

/**
 * Wakes waiting readers when the ledger changes. A writer in this process calls `notify`. Each engine watches for the changes
 * of other processes in its own way.
 */
export abstract class ChangeNotifier {
  readonly #waiting = new Set<() => void>()
  #subscribers = 0
  #lingering: NodeJS.Timeout | undefined

  notify(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Returns a promise that resolves at the next notification, when `cancel` is called, or when the signal aborts. */
  wait(signal: AbortSignal): { readonly changed: Promise<void>; readonly cancel: () => void } {
    let cancel = (): void => {}
    const changed = new Promise<void>((resolve) => {
      cancel = (): void => {
        this.#waiting.delete(cancel)
        signal.removeEventListener('abort', cancel)
        resolve()
      }
      this.#waiting.add(cancel)
      signal.addEventListener('abort', cancel, { once: true })
      if (signal.aborted) cancel()
    })
    return { changed, cancel }
  }

  /** Subscribes until the next notification or until the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    this.subscribe()
    try {
      await this.wait(signal).changed
    } finally {
      this.unsubscribe()
    }
  }

  subscribe(): void {
    if (this.#subscribers++ > 0) return
    clearTimeout(this.#lingering)
    this.startWatching()
  }

  unsubscribe(): void {
    if (--this.#subscribers > 0) return
    clearTimeout(this.#lingering)
    this.#lingering = setTimeout(() => this.stop(), lingerMs).unref()
    this.unref()
  }

  /** Stops watching other processes, even with subscribers left. */
  stop(): void {
    clearTimeout(this.#lingering)
    this.stopWatching()
  }

  /** Starts or continues watching other processes, and keeps this process alive. */
  protected abstract startWatching(): void
  /** Continues watching without keeping this process alive. */
  protected abstract unref(): void
  protected abstract stopWatching(): void
}
