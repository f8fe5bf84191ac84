const mostAttempts = 5
/** A longer wait, as after many wrong pairing codes, is an error that the user has to see. */
const longestMs = 10_000
const firstMs = 500
/** Clients that were refused together must not come back together. */
const jitter = 0.25
/** A shorter wait is not shown. */
const slowMs = 3_000

/** Dispatches `change` when requests begin to wait for long, and when none does any more. */
export const rateLimit = new (class extends EventTarget {
  #slow = 0

  get isSlow(): boolean {
    return this.#slow > 0
  }

  /** Counts a request as slow until the returned function is called. */
  addSlow(): () => void {
    if (++this.#slow === 1) this.dispatchEvent(new Event('change'))
    return () => {
      if (--this.#slow === 0) this.dispatchEvent(new Event('change'))
    }
  }
})()

/**
 * Fetches, and repeats the request after a 429 as the server asks for with Retry-After. The server sends that header when
 * it refuses a request before it reads it, so commands can be repeated too. Without it only reads are repeated.
 */
export async function fetchWithRetry(path: string, init: RequestInit): Promise<Response> {
  let endSlow = (): void => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(path, init)
      const waitMs = getWaitMs(response, init.method ?? 'GET', attempt)
      if (waitMs === undefined) return response
      timer ??= setTimeout(() => (endSlow = rateLimit.addSlow()), slowMs)
      await wait(waitMs, init.signal ?? undefined)
    }
  } finally {
    clearTimeout(timer)
    endSlow()
  }
}

/** How long to wait before the next attempt; undefined if there is none. */
function getWaitMs(response: Response, method: string, attempt: number): number | undefined {
  if (response.status !== 429 || attempt >= mostAttempts) return undefined
  const header = response.headers.get('retry-after')
  const seconds = header === null || header.trim() === '' ? NaN : Number(header)
  if (Number.isNaN(seconds) && method !== 'GET') return undefined
  const asked = Number.isNaN(seconds) ? firstMs * 2 ** (attempt - 1) : seconds * 1000
  return asked > longestMs ? undefined : asked * (1 + Math.random() * jitter)
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
