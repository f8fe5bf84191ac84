/** How long watching continues after the last subscriber leaves: most subscribers return soon. */
const lingerMs = 5000

/** Notifies waiting readers of changes: those of this process directly, those of other processes as the engine sees them. */
export abstract class ChangeNotifier {
  readonly #waiting = new Set<() => void>()
  #subscribers = 0
  #lingering: NodeJS.Timeout | undefined

  notify(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Waits for the next notification, `cancel` or the signal. */
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

  /** Subscribes for one notification. */
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
