/** Lets one loop sleep until something happened; what happened while it was awake is not missed. */
export class Waiter {
  #woken = false
  #resolve: (() => void) | undefined

  wake(): void {
    this.#woken = true
    this.#resolve?.()
  }

  async wait(): Promise<void> {
    if (!this.#woken) await new Promise<void>((resolve) => (this.#resolve = resolve))
    this.#woken = false
    this.#resolve = undefined
  }
}
