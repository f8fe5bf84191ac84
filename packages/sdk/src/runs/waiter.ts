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

/** Awaits a promise up to a timeout, then returns undefined. @example await waitAtMost(tree.exited, 2_000) */
export async function waitAtMost<T>(promise: Promise<T>, withinMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, withinMs, undefined)))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
