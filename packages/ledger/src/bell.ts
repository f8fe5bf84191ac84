/** One who has waited will mostly wait again soon. */
const linger = 5000

/** Tells when there may be something new: this process says so itself, of others each engine hears in its own way. */
export abstract class Bell {
  readonly #waiting = new Set<() => void>()
  #listeners = 0
  #leave: NodeJS.Timeout | undefined

  ring(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Until the bell rings next, or nobody wants to wait any longer. */
  wait(signal: AbortSignal): { readonly rung: Promise<void>; readonly cancel: () => void } {
    let cancel = (): void => {}
    const rung = new Promise<void>((resolve) => {
      cancel = (): void => {
        this.#waiting.delete(cancel)
        signal.removeEventListener('abort', cancel)
        resolve()
      }
      this.#waiting.add(cancel)
      signal.addEventListener('abort', cancel, { once: true })
      if (signal.aborted) cancel()
    })
    return { rung, cancel }
  }

  /** The next ring, for one who does not listen all the time. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    this.listen()
    try {
      await this.wait(signal).rung
    } finally {
      this.unlisten()
    }
  }

  /** Hears of others for as long as anybody listens. */
  listen(): void {
    if (this.#listeners++ > 0) return
    clearTimeout(this.#leave)
    this.hear()
  }

  unlisten(): void {
    if (--this.#listeners > 0) return
    clearTimeout(this.#leave)
    this.#leave = setTimeout(() => this.stop(), linger).unref()
    this.rest()
  }

  /** Hears nothing any longer, whoever listens. */
  stop(): void {
    clearTimeout(this.#leave)
    this.leave()
  }

  /** Begins to hear of others, or goes on with it; the process stays alive for it. */
  protected abstract hear(): void
  /** Nobody listens, and somebody may soon: the process need not stay for it. */
  protected abstract rest(): void
  protected abstract leave(): void
}
