import { createHash } from 'node:crypto'
import { type Event, canonical } from '@remora/protocol/plain'
import type { Ledger, SessionKey, StoredEvent } from './model/ledger.ts'

/** The number of events of one session and a digest of them in order. */
export interface SessionDigest extends SessionKey {
  readonly count: number
  readonly digest: string
}

/** Digests every session that occurs in these events. @example await digestSessions(readAllEvents(ledger)) */
export async function digestSessions(
  pages: AsyncIterable<readonly StoredEvent[]>,
): Promise<Map<string, SessionDigest>> {
  const sessions = new Map<string, SessionDigest>()
  for await (const page of pages)
    for (const { event, record } of page) {
      const id = toSessionId(event)
      sessions.set(id, addEvent(sessions.get(id), event, record))
    }
  return sessions
}

/** Reads all events of a ledger up to a sequence number. */
export async function* readAllEvents(
  ledger: Ledger,
  until = Infinity,
  signal?: AbortSignal,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  for (let after = { epoch: ledger.epoch, seq: 0 }; ;) {
    signal?.throwIfAborted()
    const { events, cursor } = await ledger.read({ after, limit: 1000, records: true })
    yield events.filter(({ seq }) => seq <= until)
    if (cursor.seq === after.seq || cursor.seq >= until) return
    after = cursor
  }
}

/** Why two digests of a session differ; undefined if they are equal. */
export function describeDifference(
  digest: SessionDigest,
  other: SessionDigest | undefined,
): string | undefined {
  if (!other) return 'it is missing'
  if (other.count !== digest.count) return `it has ${other.count} events instead of ${digest.count}`
  return other.digest === digest.digest ? undefined : 'its events differ'
}

export function toSessionId({ agent, session }: SessionKey): string {
  return canonical([agent, session])
}

/** Each digest covers the previous one, so one is enough for a session of any length. */
function addEvent(
  previous: SessionDigest | undefined,
  event: Event,
  record: string | undefined,
): SessionDigest {
  const digest = createHash('sha256')
    .update(previous?.digest ?? '')
    .update(canonical(event))
    .update(record ?? '')
    .digest('base64')
  return { agent: event.agent, session: event.session, count: (previous?.count ?? 0) + 1, digest }
}
