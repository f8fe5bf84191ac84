import type { Cursor } from '@remora/protocol/plain'
import type { MonthPage, Page, ReadQuery, StoredEvent } from '@remora/ledger'
import { type EventRow, decodeEvent } from '@remora/ledger/engine'
import type { Connection, Queries } from './connection.ts'
import { unflushedSql } from './flush.ts'
import { hashSession } from './hash.ts'

/** A page ends here, however many events were asked for: lines of many megabytes exist. */
const pageBytes = 8_000_000

type PageRow = { readonly head: number; readonly unflushed: string | null } & (
  | (EventRow & { readonly size: number })
  | { readonly seq: null }
)

/** The place behind everything that is stored. For work on the events, not to be handed out as a cursor. */
export async function readHead(queries: Queries): Promise<number> {
  return (await queries.get<{ seq: number }>('SELECT seq FROM head'))!.seq
}

/** The same once all before it is on the disk: it may be handed out. */
export async function readStoredHead(connection: Connection): Promise<number> {
  const sql = `SELECT seq, ${unflushedSql} AS unflushed FROM head`
  return (await connection.onDisk<{ seq: number; unflushed: string | null }>(sql))[0]!.seq
}

/** What follows a cursor; from the beginning where it means nothing here. */
export async function readPage(connection: Connection, query: ReadQuery): Promise<Page> {
  const { epoch } = connection
  const after: Cursor = query.after ?? { epoch, seq: 0 }
  const limit = Math.max(1, query.limit ?? 500)
  const ours = after.epoch === epoch
  const first = await readRows(connection, query, ours ? after.seq : 0, limit)
  const gap = !ours || after.seq > first.head
  const { head, rows } = gap && ours ? await readRows(connection, query, 0, limit) : first
  const events = await decode(connection, rows, query.records ?? false)
  // A reader of one session need not look again at all the others.
  const full = rows.length === limit || sumSizes(rows) >= pageBytes
  const seq = full ? rows.at(-1)!.seq : head
  return { events, cursor: { epoch, seq }, ...(gap ? { gap: true as const } : {}) }
}

/**
 * One statement, and so one state of everything: a head that was read later than the rows would be a cursor behind
 * events that nobody has seen.
 */
async function readRows(connection: Connection, { session }: ReadQuery, from: number, limit: number) {
  const ofSession = session ? 'AND session_id = (SELECT id FROM sessions WHERE key = $3)' : ''
  const sql = `SELECT h.seq AS head, h.unflushed, p.seq, s.agent, s.session, o.channel, o.source, p.key, p.digest, p.type,
      p.entity, p.at, p.parent, p.record, p.body, p.raw, p.size
    FROM (SELECT seq, ${unflushedSql} AS unflushed FROM head) h
    LEFT JOIN LATERAL (${buildSizedSql(ofSession)}) p ON p.before IS NULL OR p.before < ${pageBytes}
    LEFT JOIN sessions s ON s.id = p.session_id LEFT JOIN sources o ON o.id = p.source_id
    ORDER BY p.seq`
  const rows = await connection.onDisk<PageRow>(sql, from, limit, ...(session ? [hashSession(session)] : []))
  return { head: rows[0]!.head, rows: rows.filter((row) => row.seq !== null) }
}

/** Rows after $1, at most $2. The sizes are known without the texts, so that of what is beyond the page none is read. */
function buildSizedSql(condition: string, table = 'events'): string {
  const size = 'octet_length(e.body) + coalesce(octet_length(e.raw), 0)'
  return `SELECT e.*, ${size} AS size,
      sum(${size}) OVER (ORDER BY e.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (SELECT * FROM ${table} WHERE seq > $1 ${condition} ORDER BY seq LIMIT $2) e`
}

/** A page of one table alone, whether it is a part of events or was taken out. */
export async function readTable(
  connection: Connection,
  table: string,
  after: number,
  limit: number,
): Promise<MonthPage> {
  const rows = await connection.all<EventRow & { agent: string | null }>(
    `SELECT p.seq, s.agent, s.session, o.channel, o.source, p.key, p.digest, p.type, p.entity, p.at, p.parent, p.record,
       p.body, p.raw
     FROM (${buildSizedSql('', table)}) p
     LEFT JOIN sessions s ON s.id = p.session_id LEFT JOIN sources o ON o.id = p.source_id
     WHERE p.before IS NULL OR p.before < ${pageBytes} ORDER BY p.seq`,
    after,
    limit,
  )
  // A session that was forgotten is gone from its tables; in one that was taken out its events may still lie.
  const known = rows.filter(({ agent }) => agent !== null)
  return { events: await decode(connection, known, true, table), after: rows.at(-1)?.seq }
}

function sumSizes(rows: readonly { readonly size: number }[]): number {
  return rows.reduce((sum, { size }) => sum + size, 0)
}

/** Rows as events. */
async function decode(
  queries: Queries,
  rows: readonly EventRow[],
  records: boolean,
  table?: string,
): Promise<StoredEvent[]> {
  const getRaw = await readRaws(queries, rows, table)
  const events: StoredEvent[] = []
  for (const row of rows) {
    // Its session was forgotten between two queries.
    if (!getRaw.has(row)) continue
    const event = decodeEvent(row, getRaw)
    events.push({ seq: row.seq, event, ...(records && row.raw !== null ? { record: row.raw } : {}) })
  }
  return events
}

type Holding = Pick<EventRow, 'seq' | 'record' | 'raw'>

/**
 * Gives the raw texts in which the strings of these rows stand: of the rows themselves, and of others that they name.
 *
 * @example decodeBody(row, await readRaws(queries, [row]))
 */
export async function readRaws(queries: Queries, rows: readonly Holding[], table = 'events') {
  const raws = new Map<number, string>()
  for (const { seq, raw } of rows) if (raw !== null) raws.set(seq, raw)
  const missing = new Set(rows.flatMap(({ record }) => (record === null || raws.has(record) ? [] : [record])))
  if (missing.size > 0)
    for (const { seq, raw } of await queries.all<{ seq: number; raw: string }>(
      `SELECT seq, raw FROM ${table} WHERE seq = ANY($1::bigint[])`,
      [...missing],
    ))
      raws.set(seq, raw)
  const has = ({ record }: Holding): boolean => record === null || raws.has(record)
  return Object.assign((seq: number): string => raws.get(seq)!, { has })
}
