import type { Cursor } from '@remora/protocol/plain'
import type { Page, ReadQuery, StoredEvent } from '../model/ledger.ts'
import type { Connection } from './connection.ts'
import { type EventRow, decodeEvent } from '../rows/event-row.ts'

/** A page ends at this size, since single lines may have many megabytes. */
const pageBytes = 8_000_000

const columns = `e.seq, s.agent, s.session, o.channel, o.source, e.key, e.digest, e.type, e.entity, e.at, e.parent,
  e.record, e.body, e.raw
  FROM events e JOIN sessions s ON s.id = e.session_id JOIN sources o ON o.id = e.source_id`

export function readHead(connection: Connection): number {
  return connection.readMeta<number>('head')!
}

/** Reads what follows a cursor; starts at the beginning if the cursor is not valid here. */
export function readPage(connection: Connection, epoch: string, query: ReadQuery): Page {
  return connection.read(() => {
    const head = readHead(connection)
    const after: Cursor = query.after ?? { epoch, seq: 0 }
    const gap = after.epoch !== epoch || after.seq > head
    const from = gap ? 0 : after.seq
    const limit = Math.max(1, query.limit ?? 500)
    const { session, type } = query
    const ofSession = session ? 's.agent = ? AND s.session = ? AND ' : ''
    const ofType = type === undefined ? '' : 'e.type = ? AND '
    const rows = connection.statement<EventRow>(
      `SELECT ${columns} WHERE ${ofSession}${ofType}e.seq > ? ORDER BY e.seq LIMIT ?`,
    )
    const of = [...(session ? [session.agent, session.session] : []), ...(type === undefined ? [] : [type])]
    const { page, full } = take(rows.iterate(...of, from, limit), limit)
    const events = decode(connection, page, query.records ?? false)
    // A reader of one session or type skips the events of all others.
    const seq = full ? page.at(-1)!.seq : head
    return { events, cursor: { epoch, seq }, ...(gap ? { gap: true as const } : {}) }
  })
}

function decode(connection: Connection, rows: readonly EventRow[], records: boolean): StoredEvent[] {
  const getRaw = createRawReader(connection)
  return rows.map((row) => {
    if (row.raw !== null) getRaw.cache(row.seq, row.raw)
    const event = decodeEvent(row, getRaw)
    return { seq: row.seq, event, ...(records && row.raw !== null ? { record: row.raw } : {}) }
  })
}

/** Reads raw texts of rows. It caches one, since the events of a record come together. */
export function createRawReader(connection: Connection) {
  let recent = { seq: 0, raw: '' }
  const cache = (seq: number, raw: string): void => {
    recent = { seq, raw }
  }
  const getRaw = (seq: number): string => {
    if (recent.seq !== seq)
      cache(seq, connection.statement<{ raw: string }>('SELECT raw FROM events WHERE seq = ?').get(seq)!.raw)
    return recent.raw
  }
  return Object.assign(getRaw, { cache })
}

function take(rows: Iterable<EventRow>, limit: number): { page: EventRow[]; full: boolean } {
  const page: EventRow[] = []
  let size = 0
  for (const row of rows) {
    page.push(row)
    size += row.body.length + (row.raw?.length ?? 0)
    if (size >= pageBytes) return { page, full: true }
  }
  return { page, full: page.length === limit }
}
