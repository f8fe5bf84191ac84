import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerSink } from '@remora/intake'
import type { Event, EventSink } from '@remora/protocol/plain'

const retryMs = 1_000

/**
 * A sink that waits while the ledger cannot be written, as on a full disk. The agent is not read meanwhile, so nothing is
 * lost. Reports the error, and undefined when it is over.
 */
export function createRetryingSink(
  sink: LedgerSink,
  signal: AbortSignal,
  report: (problem: Error | undefined) => void,
): EventSink {
  const recover = async (failure: unknown): Promise<void> => {
    for (let problem = failure; ;) {
      report(problem as Error)
      await sleep(retryMs, undefined, { signal })
      try {
        await sink.flush()
        report(undefined)
        return
      } catch (error) {
        problem = error
      }
    }
  }
  return {
    write(event: Event) {
      return sink.write(event)?.catch(recover)
    },
  }
}
