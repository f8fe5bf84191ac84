import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerSink } from '@remora/intake'
import type { Event, EventSink } from '@remora/protocol/plain'

const retryMs = 1_000

/**
 * A sink that waits where the ledger cannot be written, as on a full disk: the agent is not read meanwhile, and nothing
 * is lost. Tells what is wrong, and undefined when that is over.
 */
export function retryingSink(
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
