import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerSink } from '@remora/intake'
import type { SessionKey } from '@remora/ledger'
import type { Event, EventOf, EventSink } from '@remora/protocol/plain'
import { type EventFields, EventMaker } from '@remora/sdk/acp'

/** Events of a host about its session. */
export interface HostEvents {
  status(
    status: EventOf<'status'>['status'],
    more?: Partial<Pick<EventOf<'status'>, 'value' | 'detail' | 'at'>>,
  ): Promise<void>
  error(error: Pick<EventOf<'error'>, 'code' | 'message' | 'hint'>): Promise<void>
}

/** @example await createHostEvents(sink, { agent: 'gemini', session: 's-1' }).status('ended') */
export function createHostEvents(sink: EventSink, { agent, session }: SessionKey): HostEvents {
  const source = `host ${randomUUID()}`
  const maker = new EventMaker({ agent, channel: 'acp', source, session })
  let count = 0
  const write = async (fields: EventFields, at?: number): Promise<void> => {
    count++
    maker.next(at)
    try {
      await sink.write(maker.makeOnly(fields))
    } catch {
      // The sink keeps the event and stores it with the next one.
    }
  }
  return {
    status: (status, { at, ...more } = {}) => write({ type: 'status', entity: session, status, ...more }, at),
    error: (error) =>
      write({ type: 'error', entity: `${source}/error/${count + 1}`, severity: 'error', ...error }),
  }
}

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
