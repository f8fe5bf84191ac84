/** Stops a run: aborts its signal, and waits for its cleanup. */
export class Stop {
  readonly #duties = new Set<() => Promise<unknown>>()
  #controller: AbortController | undefined
  #stopping: Promise<void> | undefined
  #reason: { readonly reason: unknown } | undefined

  /** Created on first use, because most runs end without it. */
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

  /** Settles like the promise, or rejects when the run is stopped. */
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

  /** Registers cleanup for a stopped run. Returns the function that unregisters it. */
  onStop(duty: () => Promise<unknown>): () => void {
    this.#duties.add(duty)
    return () => void this.#duties.delete(duty)
  }

  /** Stops the run; later reasons are ignored. */
  now(reason: unknown): Promise<void> {
    this.#stopping ??= (async () => {
      this.#reason = { reason }
      this.#controller?.abort(reason)
      await Promise.allSettled([...this.#duties].map((duty) => duty()))
    })()
    return this.#stopping
  }
}
