import type { IndexProgress, Ledger } from '@remora/ledger'
import type { Io } from '../command/io.ts'
import { plural, wholeNumber } from '../output/format-number.ts'
import { Progress } from '../output/progress.ts'

/** Builds the search index until it is complete or the signal aborts, with progress. */
export async function indexText(ledger: Ledger, io: Io, signal: AbortSignal): Promise<IndexProgress> {
  const progress = new Progress(io)
  let reached: IndexProgress = { done: 0, total: 0 }
  try {
    reached = await ledger.indexText({
      signal,
      onProgress: (now) => {
        reached = now
        const part = now.total === 0 ? 1 : now.done / now.total
        progress.update(
          'Building the search index',
          part,
          `${wholeNumber(now.done)} of ${plural(now.total, 'event')}`,
        )
      },
    })
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    progress.clear()
  }
  return reached
}
