import { randomUUID } from 'node:crypto'
import type { SessionKey } from '@remora/ledger'
import type { Event, EventOf, EventSink } from '@remora/protocol/plain'

/** Events of a host about its session. */
export interface HostEvents {
  status(
    status: EventOf<'status'>['status'],
    more?: Partial<Pick<EventOf<'status'>, 'value' | 'detail' | 'at'>>,
  ): Promise<void>
  error(error: Pick<EventOf<'error'>, 'code' | 'message' | 'hint'>): Promise<void>
}

/** @example await hostEvents(sink, { agent: 'gemini', session: 's-1' }).status('ended') */
export function hostEvents(sink: EventSink, { agent, session }: SessionKey): HostEvents {
  const source = `host ${randomUUID()}`
  let count = 0
  const envelope = () => ({
    agent,
    session,
    origin: { channel: 'acp', source, key: String(++count) } as const,
    at: Date.now(),
  })
  const write = async (event: Event): Promise<void> => {
    try {
      await sink.write(event)
    } catch {
      // The sink keeps the event and stores it with the next one.
    }
  }
  return {
    status: (status, more = {}) => write({ type: 'status', entity: session, ...envelope(), status, ...more }),
    error: (error) =>
      write({
        type: 'error',
        ...envelope(),
        entity: `${source}/error/${count}`,
        severity: 'error',
        ...error,
      }),
  }
}
