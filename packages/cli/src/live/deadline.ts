/** A signal that comes in time, or with another one. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
  /** Whether it was the time that was up. */
  readonly passed: boolean
}

/**
 * Not `AbortSignal.timeout` within `AbortSignal.any`: Node 20 may collect the former before its time has come.
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
