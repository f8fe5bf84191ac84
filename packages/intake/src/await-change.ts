import type { Ledger } from '@remora/ledger'

/**
 * Settles when the ledger may have changed, after a timeout, or on the signal; never rejects. Callers start it before
 * they read, so that no change in between is missed.
 *
 * @example const changed = awaitChange(ledger, 5000, signal); read(); await changed
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
