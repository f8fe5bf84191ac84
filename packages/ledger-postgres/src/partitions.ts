import type { Queries } from './connection.ts'
import { buildNowSql } from './clock.ts'

/** A month: the partition that stores its events, its start and its end. */
export interface Month {
  readonly table: string
  readonly from: number
  readonly until: number
}

/** The month of a time in UTC. @example getMonth(Date.UTC(2026, 4, 17)).table // 'events_2026_05' */
export function getMonth(at: number): Month {
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    table: `events_${String(year).padStart(4, '0')}_${String(month + 1).padStart(2, '0')}`,
    from: Date.UTC(year, month),
    until: Date.UTC(year, month + 1),
  }
}

/** The month of a partition; undefined for other tables. */
export function parseMonthTable(table: string): Month | undefined {
  const match = /^events_(\d{4})_(\d{2})$/.exec(table)
  const month = match && getMonth(Date.UTC(Number(match[1]), Number(match[2]) - 1))
  return month?.table === table ? month : undefined
}

/**
 * Creates the partitions of this month and the next, by the database's clock, inside a transaction. A table is created
 * first and then attached, since creating it as a partition would block readers and writers.
 */
export async function createPartitions(queries: Queries): Promise<void> {
  // One process at a time.
  await queries.run(`SELECT pg_advisory_xact_lock(hashtext('remora partitions ' || current_schema()))`)
  const { now } = (await queries.get<{ now: number }>(`SELECT ${buildNowSql('NULL')} AS now`))!
  const month = getMonth(now)
  for (const { table, from, until } of [month, getMonth(month.until)]) {
    const found = await queries.get<{ table: string | null }>(
      `SELECT to_regclass(quote_ident(current_schema()) || '.' || $1)::text AS table`,
      table,
    )
    if (found!.table !== null) continue
    await queries.run(`CREATE TABLE ${table} (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`)
    // With this constraint, attaching does not scan the table.
    await queries.run(
      `ALTER TABLE ${table} ADD CONSTRAINT ${table}_time CHECK (stored_at >= ${from} AND stored_at < ${until})`,
    )
    await queries.run(`ALTER TABLE events ATTACH PARTITION ${table} FOR VALUES FROM (${from}) TO (${until})`)
    await queries.run(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_time`)
  }
}

/** Whether an insert failed because its month has no partition yet. */
export function isMissingPartition(error: unknown): boolean {
  const cause = (error as { cause?: unknown }).cause ?? error
  const { code, table } = cause as { code?: unknown; table?: unknown }
  return code === '23514' && table === 'events'
}
