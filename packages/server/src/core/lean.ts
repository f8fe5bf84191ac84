import type { StoredEvent } from '@remora/ledger'

/**
 * Without the record as the agent wrote it, which is most of the bytes and which no surface shows; what nobody
 * understands yet keeps it, since that is all it has.
 */
export function lean(stored: StoredEvent): StoredEvent {
  if (stored.event.raw === undefined || stored.event.type === 'unknown') return stored
  const { raw: _, ...event } = stored.event
  return { seq: stored.seq, event }
}
