/** The one way to stop a run: tells everyone who watches the signal, and waits until what must go is gone. */
export class Stop {
  readonly #controller = new AbortController()
  readonly #duties = new Set<() => Promise<unknown>>()
  #stopping: Promise<void> | undefined

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Something to be done when the run is stopped, whether or not anybody reads it on. Returns what takes it back. */
  onStop(duty: () => Promise<unknown>): () => void {
    this.#duties.add(duty)
    return () => void this.#duties.delete(duty)
  }

  /** The first reason counts. */
  now(reason: unknown): Promise<void> {
    this.#stopping ??= (async () => {
      this.#controller.abort(reason)
      await Promise.allSettled([...this.#duties].map((duty) => duty()))
    })()
    return this.#stopping
  }
}
