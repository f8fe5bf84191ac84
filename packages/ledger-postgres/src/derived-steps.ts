import { setTimeout as sleep } from 'node:timers/promises'
import type { EventRow } from '@remora/ledger/internal'
import type { Queries } from './connection.ts'
import { readHead } from './read.ts'

/** What is derived from events up to a number in the table meta: the full-text index and the calls. */
export type Derived = 'indexed' | 'called'

const stepBytes = 4_000_000
const stepRows = 2000

/** How far the derived data is, and the highest event. */
export async function readProgress(
  queries: Queries,
  derived: Derived,
): Promise<{ done: number; total: number }> {
  return (await queries.get<{ done: number; total: number }>(
    'SELECT (SELECT value::bigint FROM meta WHERE name = $1) AS done, (SELECT seq FROM head) AS total',
    derived,
  ))!
}

/** Locks the progress until the transaction ends, and returns it. Appends do not wait for it. */
export async function lockProgress(queries: Queries, derived: Derived): Promise<number> {
  return (await readMark(queries, derived, 'FOR UPDATE'))!
}

/**
 * Like `lockProgress`, but returns undefined if another process has it, so that many machines do not queue with a
 * connection each.
 */
export function tryLockProgress(queries: Queries, derived: Derived): Promise<number | undefined> {
  return readMark(queries, derived, 'FOR UPDATE SKIP LOCKED')
}

async function readMark(queries: Queries, derived: Derived, lock: string): Promise<number | undefined> {
  const sql = `SELECT value::bigint AS value FROM meta WHERE name = $1 ${lock}`
  return (await queries.get<{ value: number }>(sql, derived))?.value
}

/** Waits until another process may have finished its step. */
export async function waitForOthers(): Promise<void> {
  await sleep(20 + Math.random() * 80)
}

export async function saveProgress(queries: Queries, derived: Derived, to: number): Promise<void> {
  await queries.run('UPDATE meta SET value = $2::bigint::text WHERE name = $1', derived, to)
}

/** Selects events of these types after a number. */
interface StepQuery {
  readonly types: readonly string[]
  readonly after: number
  /** Only this session, up to this number. */
  readonly session?: number
  readonly until?: number
}

/** The columns that a step needs. `raw` is set only if the body refers to it. */
export interface StepRow extends Omit<EventRow, 'agent' | 'session' | 'key' | 'digest'> {
  readonly session_id: number
}

/**
 * Reads the events of one step, up to a size, and the number that it reaches. Events of a session that is being deleted
 * are skipped.
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
