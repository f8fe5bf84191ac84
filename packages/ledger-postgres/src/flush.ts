import { setTimeout as sleep } from 'node:timers/promises'
import type { Queries } from './connection.ts'

/*
 * Other processes see an append shortly before it is flushed, so that writers do not wait for each other's flush
 * (append-procedure.ts). A database that crashes at that moment loses the append and assigns its numbers again. So
 * every reader waits here before it returns numbers.
 */

/** Writes a message to the log. Its commit flushes everything that was committed before. */
export const logMessageSql = `pg_logical_emit_message(true, 'remora', '')::text`

/** The same in a transaction of its own, whatever the settings are, without waiting for a standby. */
export const flushSql = `set_config('synchronous_commit', 'local', true) || ${logMessageSql}`

/** The log position that must be flushed for everything this statement sees; null if it is flushed already. */
export const unflushedSql = `CASE WHEN pg_current_wal_flush_lsn() < pg_current_wal_insert_lsn()
  THEN pg_current_wal_insert_lsn()::text END`

/** Delays of further checks: the writer usually flushes soon, but it may be gone. */
const recheckDelaysMs = [1, 2, 4]

/**
 * Waits until the log is flushed up to a position. Use the connection that reported the position, outside a
 * transaction: another connection may reach a restarted database with another log.
 */
export async function waitForFlush(queries: Queries, place: string | null): Promise<void> {
  if (place === null) return
  for (const delay of recheckDelaysMs) {
    await sleep(delay)
    const row = await queries.get<{ there: boolean }>(
      'SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn AS there',
      place,
    )
    if (row!.there) return
  }
  await queries.get(`SELECT ${flushSql}`)
}
