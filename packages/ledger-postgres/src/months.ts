import { buildNowSql } from './clock.ts'
import type { Connection } from './connection.ts'
import { type Month, parseMonthTable } from './partitions.ts'

/** A transaction that began in a month may still store in it for a while. */
export const gracePeriodMs = 86_400_000

/** A month that has a table. */
export interface MonthTable extends Month {
  /** `pending` where somebody began to take it out and was stopped, `out` where it was taken out and is still there. */
  readonly state: 'attached' | 'pending' | 'out'
  /** How long ago it ended, by the clock of the database; less than nothing while it goes on. */
  readonly endedMs: number
}

/** The oldest first. */
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

/**
 * Takes out the months that are over and have nothing left in them, and drops them: that gives all of their space back at
 * once, and nobody who reads or writes waits for it.
 */
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
    // Another one does it at the same time; or it is done the next time.
    return false
  }
}

/** Takes a month out of the events, without stopping anybody. Who uses the events now is waited for. */
export async function detachMonth(
  connection: Connection,
  { table, state }: Pick<MonthTable, 'table' | 'state'>,
): Promise<void> {
  if (state === 'out') return
  const how = state === 'pending' ? 'FINALIZE' : 'CONCURRENTLY'
  await connection.run(`ALTER TABLE events DETACH PARTITION ${table} ${how}`)
}
