import { setTimeout as sleep } from 'node:timers/promises'
import type { Queries } from './connection.ts'

/*
 * An append is seen by others a moment before it is on the disk, so that writers need not wait for each other's disk
 * (append-procedure.ts). A database that crashes in that moment has never heard of it, and gives its numbers to something
 * else. So nobody who was told of a number may have been too early: whoever hands out numbers waits here first.
 */

/** A word in the log: the commit of who says it brings all to the disk that was committed before. */
export const logMessageSql = `pg_logical_emit_message(true, 'remora', '')::text`

/** The same as a transaction of its own, whatever the settings are; it does not wait for a standby. */
export const flushSql = `set_config('synchronous_commit', 'local', true) || ${logMessageSql}`

/** How far the log has to be on the disk for all that this statement sees to be there; null where it is so far already. */
export const unflushedSql = `CASE WHEN pg_current_wal_flush_lsn() < pg_current_wal_insert_lsn()
  THEN pg_current_wal_insert_lsn()::text END`

/** Whoever wrote it is mostly about to do this; but he may be gone, or it was somebody who is in no hurry. */
const patience = [1, 2, 4]

/**
 * Until the log is on the disk so far. To be asked on the connection on which that was seen, and outside of a transaction:
 * behind another one there may be a database that has crashed since, with another log.
 */
export async function waitForFlush(queries: Queries, place: string | null): Promise<void> {
  if (place === null) return
  for (const pause of patience) {
    await sleep(pause)
    const row = await queries.get<{ there: boolean }>(
      'SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn AS there',
      place,
    )
    if (row!.there) return
  }
  await queries.get(`SELECT ${flushSql}`)
}
