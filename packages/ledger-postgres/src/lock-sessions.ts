import type { SessionKey } from '@remora/ledger'
import { type Summary, summaryColumns } from '@remora/ledger/internal'
import type { Queries } from './connection.ts'
import { hashSession } from './hash.ts'

/** A session that is being written. Its row is locked until the transaction ends. */
export interface OpenSession extends Summary {
  readonly key: string
  /** The number of times its summary was written. */
  readonly revision: number
  changed: boolean
  /** Whether its usage changed. */
  usageChanged: boolean
}

const columns = `id, key, ${summaryColumns.join()}, revision`

interface Row extends Omit<Summary, 'counts'> {
  readonly key: string
  readonly revision: number
  readonly message_counts: string
}

/**
 * Locks these sessions and creates missing ones, inside a transaction. Forgotten sessions are left out. All writers
 * lock sessions in the order of their keys, so there are no deadlocks.
 */
export async function lockSessions(
  queries: Queries,
  wanted: ReadonlyMap<string, SessionKey>,
  node: string | undefined,
): Promise<Map<string, OpenSession>> {
  const sessions = new Map<string, OpenSession>()
  const take = (rows: readonly Row[]): void => {
    for (const row of rows) sessions.set(row.key, toOpenSession(row))
  }
  const missing = (): string[] => [...wanted.keys()].filter((key) => !sessions.has(key)).sort()
  if (wanted.size > 0) take(await lockRows(queries, missing()))
  if (sessions.size === wanted.size) return sessions
  await lockNames(queries, missing())
  // Another process may have created or forgotten them before the names were locked.
  take(await lockRows(queries, missing()))
  const forgotten = await queries.all<{ key: string }>(
    'SELECT key FROM forgotten WHERE key = ANY($1::uuid[])',
    missing(),
  )
  const gone = new Set(forgotten.map(({ key }) => key))
  // In the order of the events: if two sessions share a message, the one with the lower id counts.
  const fresh = [...wanted].filter(([key]) => !sessions.has(key) && !gone.has(key))
  take(
    await createRows(
      queries,
      fresh.map(([, session]) => session),
      node,
    ),
  )
  return sessions
}

/** Locks those of these sessions that exist, inside a transaction. */
export async function lockExistingSessions(
  queries: Queries,
  wanted: ReadonlyMap<string, SessionKey>,
): Promise<Map<string, OpenSession>> {
  if (wanted.size === 0) return new Map()
  const rows = await lockRows(queries, [...wanted.keys()].sort())
  return new Map(rows.map((row) => [row.key, toOpenSession(row)]))
}

/**
 * Locks a session and its name inside a transaction, so that no other process creates it meanwhile.
 *
 * @returns its id, if it exists
 */
export async function lockSession(queries: Queries, key: SessionKey): Promise<number | undefined> {
  const hash = hashSession(key)
  await lockNames(queries, [hash])
  return (await lockRows(queries, [hash]))[0]?.id
}

/** Creating or deleting a session locks its name, since there may be no row to lock. */
async function lockNames(queries: Queries, hashes: readonly string[]): Promise<void> {
  await queries.all(
    `SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || name, 0))
     FROM unnest($1::text[]) AS names (name)`,
    hashes,
  )
}

function lockRows(queries: Queries, hashes: readonly string[]): Promise<Row[]> {
  return queries.all<Row>(
    `SELECT ${columns} FROM sessions WHERE key = ANY($1::uuid[]) ORDER BY key FOR UPDATE`,
    hashes,
  )
}

async function createRows(
  queries: Queries,
  keys: readonly SessionKey[],
  node: string | undefined,
): Promise<Row[]> {
  if (keys.length === 0) return []
  return queries.all<Row>(
    `INSERT INTO sessions (key, agent, session, told_by, message_counts, started_at, updated_at, node)
     SELECT key, agent, session, 99, '[0,0,0,0,0]', 0, 0, $4
     FROM unnest($1::uuid[], $2::text[], $3::text[]) AS made (key, agent, session)
     RETURNING ${columns}`,
    keys.map(hashSession),
    keys.map(({ agent }) => agent),
    keys.map(({ session }) => session),
    node ?? null,
  )
}

function toOpenSession(row: Row): OpenSession {
  return { ...row, counts: JSON.parse(row.message_counts) as number[], changed: false, usageChanged: false }
}
