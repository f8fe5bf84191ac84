import { setTimeout as sleep } from 'node:timers/promises'

/** Rejects if the promise is not settled within two minutes. */
export async function within(promise, what) {
  const over = new AbortController()
  const late = sleep(120_000, undefined, { signal: over.signal }).then(
    () => {
      throw new Error(`${what} did not arrive within two minutes`)
    },
    () => {},
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    over.abort()
  }
}
