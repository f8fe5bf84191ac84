import { RemoraError } from '@remora/protocol/plain'

/** Settles as the promise does, but not later than the agent may take to start. */
export async function within<T>(
  promise: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
  title: string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let abort: (() => void) | undefined
  promise.catch(() => {})
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        timer = setTimeout(
          () =>
            reject(
              new RemoraError('timeout_startup', `${title} did not answer within ${ms} ms of its start`, {
                hint: 'Give it more time with startupTimeout, or start it by hand to see what it waits for.',
              }),
            ),
          ms,
        )
        abort = () => reject(new RemoraError('aborted', 'The start was cancelled', { cause: signal?.reason }))
        if (signal?.aborted) abort()
        signal?.addEventListener('abort', abort)
      }),
    ])
  } finally {
    clearTimeout(timer)
    if (abort) signal?.removeEventListener('abort', abort)
  }
}
