import { buildNowSql } from './clock.ts'
import type { Connection } from './connection.ts'
import { type Month, parseMonthTable } from './partitions.ts'

/** A transaction that began in a month may still store in it for a while. */
export const gracePeriodMs = 86_400_000

export interface MonthTable extends Month {
  /** `pending` if detaching was interrupted, `out` if it is detached but not dropped. */
  readonly state: 'attached' | 'pending' | 'out'
  /** How long ago it ended, by the database's clock; negative while it lasts. */
  readonly endedMs: number
}

/** All months, oldest first. */
export async function listMonths(connection: Connection): Promise<MonthTable[]> {
  const rows = await connection.all<{ table: string; pending: boolean | null; now: number }>(
    `SELECT c.relname::text AS table, i.inhdetachpending AS pending, ${buildNowSql('NULL')} AS now
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'events'::regclass
     WHERE c.relkind = 'r' AND c.relname LIKE 'events\\_%' AND c.relnamespace =
       (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass) ORDER BY 1`,
  )
  return rows.flatMap(({ table, pending, now }) => {
    const month = parseMonthTable(table)
    if (!month) return []
    const state = pending === null ? 'out' : pending ? 'pending' : 'attached'
    return [{ ...month, state, endedMs: now - month.until }]
  })
}

/** Drops months that have ended and are empty. That frees their space at once, without blocking readers or writers. */
export async function dropEmptyMonths(connection: Connection): Promise<number> {
  let dropped = 0
  for (const month of await listMonths(connection)) {
    if (month.endedMs < gracePeriodMs) continue
    if (await dropIfEmpty(connection, month)) dropped++
  }
  return dropped
}

async function dropIfEmpty(connection: Connection, month: MonthTable): Promise<boolean> {
  const { table } = month
  try {
    if ((await connection.get(`SELECT 1 FROM ${table} LIMIT 1`)) !== undefined) return false
    await detachMonth(connection, month)
    await connection.run(`DROP TABLE ${table}`)
    return true
  } catch {
    // Another process does it at the same time, or the next run will.
    return false
  }
}

/** Detaches a month without blocking other processes. Waits for running queries. */
export async function detachMonth(
  connection: Connection,
  { table, state }: Pick<MonthTable, 'table' | 'state'>,
): Promise<void> {
  if (state === 'out') return
  const mode = state === 'pending' ? 'FINALIZE' : 'CONCURRENTLY'
  await connection.run(`ALTER TABLE events DETACH PARTITION ${table} ${mode}`)
}
