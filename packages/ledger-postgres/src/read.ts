import type { Cursor } from '@remora/protocol/plain'
import type { MonthPage, Page, ReadQuery, StoredEvent } from '@remora/ledger'
import { type EventRow, decodeEvent } from '@remora/ledger/internal'
import type { Connection, Queries } from './connection.ts'
import { unflushedSql } from './flush.ts'
import { hashSession } from './hash.ts'

/** A page ends at this size, since single lines may have many megabytes. */
const pageBytes = 8_000_000

type PageRow = { readonly head: number; readonly unflushed: string | null } & (
  | (EventRow & { readonly size: number })
  | { readonly seq: null }
)

/** The highest number. Not a valid cursor, since it may not be flushed yet. */
export async function readHead(queries: Queries): Promise<number> {
  return (await queries.get<{ seq: number }>('SELECT seq FROM head'))!.seq
}

/** The highest number that is flushed, for use as a cursor. */
export async function readStoredHead(connection: Connection): Promise<number> {
  const sql = `SELECT seq, ${unflushedSql} AS unflushed FROM head`
  return (await connection.allFlushed<{ seq: number; unflushed: string | null }>(sql))[0]!.seq
}

/** Reads what follows a cursor; starts at the beginning if the cursor is not valid here. */
export async function readPage(connection: Connection, query: ReadQuery): Promise<Page> {
  const { epoch } = connection
  const after: Cursor = query.after ?? { epoch, seq: 0 }
  const limit = Math.max(1, query.limit ?? 500)
  const ours = after.epoch === epoch
  const first = await readRows(connection, query, ours ? after.seq : 0, limit)
  const gap = !ours || after.seq > first.head
  const { head, rows } = gap && ours ? await readRows(connection, query, 0, limit) : first
  const events = await decode(connection, rows, query.records ?? false)
  // A reader of one session or type skips the events of all others.
  const full = rows.length === limit || sumSizes(rows) >= pageBytes
  const seq = full ? rows.at(-1)!.seq : head
  return { events, cursor: { epoch, seq }, ...(gap ? { gap: true as const } : {}) }
}

/** One statement, so head and rows come from the same snapshot: a head that was read later would skip unread events. */
async function readRows(connection: Connection, { session, type }: ReadQuery, from: number, limit: number) {
  const ofSession = session ? 'AND session_id = (SELECT id FROM sessions WHERE key = $3)' : ''
  const ofType = type === undefined ? '' : `AND type = $${session ? 4 : 3}`
  const sql = `SELECT h.seq AS head, h.unflushed, p.seq, s.agent, s.session, o.channel, o.source, p.key, p.digest, p.type,
      p.entity, p.at, p.parent, p.record, p.body, p.raw, p.size
    FROM (SELECT seq, ${unflushedSql} AS unflushed FROM head) h
    LEFT JOIN LATERAL (${buildSizedSql(`${ofSession} ${ofType}`)}) p ON p.before IS NULL OR p.before < ${pageBytes}
    LEFT JOIN sessions s ON s.id = p.session_id LEFT JOIN sources o ON o.id = p.source_id
    ORDER BY p.seq`
  const rows = await connection.allFlushed<PageRow>(
    sql,
    from,
    limit,
    ...(session ? [hashSession(session)] : []),
    ...(type === undefined ? [] : [type]),
  )
  return { head: rows[0]!.head, rows: rows.filter((row) => row.seq !== null) }
}

/** Selects rows after $1, at most $2, with running sizes, so that texts beyond the page are not read. */
function buildSizedSql(condition: string, table = 'events'): string {
  const size = 'octet_length(e.body) + coalesce(octet_length(e.raw), 0)'
  return `SELECT e.*, ${size} AS size,
      sum(${size}) OVER (ORDER BY e.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (SELECT * FROM ${table} WHERE seq > $1 ${condition} ORDER BY seq LIMIT $2) e`
}

/** Reads a page of one month, attached or detached. */
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
  // A forgotten session is deleted from its tables, but a detached month may still hold its events.
  const known = rows.filter(({ agent }) => agent !== null)
  return { events: await decode(connection, known, true, table), after: rows.at(-1)?.seq }
}

function sumSizes(rows: readonly { readonly size: number }[]): number {
  return rows.reduce((sum, { size }) => sum + size, 0)
}

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
 * Reads the raw texts that these rows refer to: their own, and those of other rows.
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
