import type { Ledger } from '@remora/ledger'

/**
 * Settles when something may have changed in the ledger, after a time, or at the signal; never rejects. One takes it
 * before looking, so that what comes meanwhile is not missed.
 *
 * @example const changed = awaitChange(ledger, 5000, signal); look(); await changed
 */
export async function awaitChange(
  ledger: Pick<Ledger, 'changed'>,
  longestMs: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const end = (): void => over.abort()
  const timer = setTimeout(end, longestMs)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    await ledger.changed(over.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
