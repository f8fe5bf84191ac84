/** Lets a loop sleep until it is notified. A notification while it is awake is not lost. */
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
