/** The one way to stop a run: tells everyone who watches the signal, and waits until what must go is gone. */
export class Stop {
  readonly #duties = new Set<() => Promise<unknown>>()
  #controller: AbortController | undefined
  #stopping: Promise<void> | undefined
  #reason: { readonly reason: unknown } | undefined

  /** Made when somebody looks: most runs come to their end without it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#reason) this.#controller.abort(this.#reason.reason)
    }
    return this.#controller.signal
  }

  get stopped(): boolean {
    return this.#reason !== undefined
  }

  throwIfStopped(): void {
    if (this.#reason) this.signal.throwIfAborted()
  }

  /** Settles as the promise does, or rejects when the run is stopped. */
  async race<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => {})
    this.throwIfStopped()
    let forget: (() => void) | undefined
    const stopped = new Promise<never>((_, reject) => {
      forget = this.onStop(async () => reject(this.#reason!.reason))
    })
    try {
      return await Promise.race([promise, stopped])
    } finally {
      forget?.()
    }
  }

  /** Something to be done when the run is stopped, whether or not anybody reads it on. Returns what takes it back. */
  onStop(duty: () => Promise<unknown>): () => void {
    this.#duties.add(duty)
    return () => void this.#duties.delete(duty)
  }

  /** The first reason counts. */
  now(reason: unknown): Promise<void> {
    this.#stopping ??= (async () => {
      this.#reason = { reason }
      this.#controller?.abort(reason)
      await Promise.allSettled([...this.#duties].map((duty) => duty()))
    })()
    return this.#stopping
  }
}
