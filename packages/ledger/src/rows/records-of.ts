import type { Event, EventRecord } from '@remora/protocol/plain'
import type { StoredEvent } from '../ledger.ts'

/**
 * Events that were read with their records, as they were when they were appended: those of one record follow the one that
 * has its text.
 */
export function recordsOf(stored: readonly StoredEvent[]): EventRecord[] {
  const records: { events: Event[]; raw?: string }[] = []
  let last: Event | undefined
  for (const { event, record } of stored) {
    const begins = record !== undefined || event.raw !== undefined
    const follows =
      !begins && last !== undefined && last.agent === event.agent && last.session === event.session
    if (follows) records.at(-1)!.events.push(event)
    else records.push({ events: [event], ...(record === undefined ? {} : { raw: record }) })
    last = event
  }
  return records
}
