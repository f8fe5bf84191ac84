import { setTimeout as sleep } from 'node:timers/promises'

/** Undefined after a timeout. @example await within(2_000, answer()) */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = new AbortController()
  try {
    return await Promise.race([work, sleep(ms, undefined, { signal: late.signal }).catch(() => undefined)])
  } finally {
    late.abort()
  }
}
