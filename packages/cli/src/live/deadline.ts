/** Aborts after a timeout, or with another signal. */
interface Deadline extends Disposable {
  readonly signal: AbortSignal
  /** Whether the timeout passed. */
  readonly passed: boolean
}

/**
 * Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 may collect the latter before it fires.
 *
 * @example using limit = deadline(stopped, 90_000)
 */
export function deadline(stopped: AbortSignal, limitMs: number | undefined): Deadline {
  const controller = new AbortController()
  let passed = false
  const stop = (): void => controller.abort(stopped.reason)
  const timer =
    limitMs === undefined
      ? undefined
      : setTimeout(() => {
          passed = true
          controller.abort(new Error('Timed out'))
        }, limitMs)
  stopped.addEventListener('abort', stop, { once: true })
  if (stopped.aborted) stop()
  return {
    signal: controller.signal,
    get passed() {
      return passed
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      stopped.removeEventListener('abort', stop)
    },
  }
}
