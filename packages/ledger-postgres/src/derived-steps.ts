import { setTimeout as sleep } from 'node:timers/promises'
import type { EventRow } from '@remora/ledger/engine'
import type { Queries } from './connection.ts'
import { readHead } from './read.ts'

/** What is made of the events, up to a mark in the table meta: full text, and calls. */
export type Derived = 'indexed' | 'called'

/** How much is done in one transaction. */
const stepBytes = 4_000_000
const stepRows = 2000

/** How far something is made, and how far there are events. */
export async function readProgress(
  queries: Queries,
  made: Derived,
): Promise<{ done: number; total: number }> {
  return (await queries.get<{ done: number; total: number }>(
    'SELECT (SELECT value::bigint FROM meta WHERE name = $1) AS done, (SELECT seq FROM head) AS total',
    made,
  ))!
}

/**
 * Holds the mark until the transaction ends, and gives what it says. Who appends is not held up, since the mark is no row of
 * his.
 */
export async function lockProgress(queries: Queries, made: Derived): Promise<number> {
  return (await readMark(queries, made, 'FOR UPDATE'))!
}

/**
 * The same for the next step, of which many nodes may think at once: undefined where another one makes it. Nobody stands in
 * a row for it, with a connection each.
 */
export function tryLockProgress(queries: Queries, made: Derived): Promise<number | undefined> {
  return readMark(queries, made, 'FOR UPDATE SKIP LOCKED')
}

async function readMark(queries: Queries, made: Derived, lock: string): Promise<number | undefined> {
  const sql = `SELECT value::bigint AS value FROM meta WHERE name = $1 ${lock}`
  return (await queries.get<{ value: number }>(sql, made))?.value
}

/** Until another node may have made its step. */
export async function waitForOthers(): Promise<void> {
  await sleep(20 + Math.random() * 80)
}

export async function saveProgress(queries: Queries, made: Derived, to: number): Promise<void> {
  await queries.run('UPDATE meta SET value = $2::bigint::text WHERE name = $1', made, to)
}

/** What a step is made of: these columns of these types of events, after a mark. */
export interface StepQuery {
  readonly types: readonly string[]
  readonly after: number
  /** Only of this session, and only up to this place. */
  readonly session?: number
  readonly until?: number
}

/** A row as a step needs it. The raw text is there only where the body points into it. */
export interface StepRow extends Omit<EventRow, 'agent' | 'session' | 'key' | 'digest'> {
  readonly session_id: number
}

/**
 * The events of one step, up to a size, and the place that it reaches. Events of a session that is being removed are
 * passed over.
 */
export async function readStep(
  queries: Queries,
  { types, after, session, until }: StepQuery,
): Promise<{ rows: StepRow[]; reached: number }> {
  const last = until ?? (await readHead(queries))
  const rows = await queries.all<Omit<StepRow, 'body'> & { body: string | null }>(
    `SELECT seq, session_id, type, entity, at, parent, record, channel, source,
       CASE WHEN size_before < ${stepBytes} THEN body END AS body,
       CASE WHEN size_before < ${stepBytes} AND left(body, 1) = '[' THEN raw END AS raw
     FROM (
       SELECT e.seq, e.session_id, e.type, e.entity, e.at, e.parent, e.record, e.body, e.raw, o.channel, o.source,
         sum(size) OVER (ORDER BY e.seq) - size AS size_before
       FROM events e JOIN sessions s ON s.id = e.session_id JOIN sources o ON o.id = e.source_id,
         LATERAL (SELECT octet_length(e.body) + coalesce(octet_length(e.raw), 0) + 100 AS size) z
       WHERE e.seq > $1 AND e.seq <= $2 AND e.type = ANY($3::text[])
         ${session === undefined ? '' : 'AND e.session_id = $4'}
       ORDER BY e.seq LIMIT ${stepRows}
     ) t ORDER BY seq`,
    after,
    last,
    types,
    ...(session === undefined ? [] : [session]),
  )
  const taken: StepRow[] = []
  for (const row of rows) {
    if (row.body === null) break
    taken.push(row as StepRow)
  }
  const all = taken.length === rows.length && rows.length < stepRows
  return { rows: taken, reached: all ? last : taken.at(-1)!.seq }
}
