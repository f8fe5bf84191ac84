import type { CallCount, CallCountsQuery, CallEntry, CallsQuery } from '../model/ledger.ts'
import {
  buildCallCountsSql,
  buildCallsSql,
  type CallRow,
  toCallCount,
  toCallEntry,
} from '../rows/call-entry.ts'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'
import { updateCalls } from './update-calls.ts'

/** Lists calls, after deriving them from new events. */
export async function listCalls(connection: Connection, query: CallsQuery): Promise<CallEntry[]> {
  await updateCalls(connection)
  const conditions = buildConditions(query)
  const rows = connection.all<CallRow>(
    `${buildCallsSql(query, conditions.where)} LIMIT ?`,
    ...conditions.parameters,
    query.limit ?? -1,
  )
  return rows.map(toCallEntry).reverse()
}

/** Counts calls by group: by day, or most failures first. */
export async function countCalls(connection: Connection, query: CallCountsQuery): Promise<CallCount[]> {
  await updateCalls(connection)
  const conditions = buildConditions(query)
  const sql = buildCallCountsSql(query, conditions.where, {
    day: (moment) => `date(${moment} / 1000, 'unixepoch')`,
    failed: 'sum(c.failed)',
  })
  const rows = connection.all<Record<string, unknown>>(sql, ...conditions.parameters)
  return rows.map((row) => toCallCount(row) as unknown as CallCount)
}

function buildConditions(query: CallsQuery): Conditions {
  const conditions = new Conditions()
  conditions.addIf(query.agent, 's.agent = ?')
  conditions.addIf(query.session?.agent, 's.agent = ?')
  conditions.addIf(query.session?.session, 's.session = ?')
  conditions.addFolder(query.cwd, 's.cwd')
  conditions.addIf(query.since, 'c.at >= ?')
  conditions.addIf(query.until, 'c.at < ?')
  conditions.addIf(query.tool, '(c.tool = ? COLLATE NOCASE OR c.native = ? COLLATE NOCASE)', 2)
  if (query.failed !== undefined) conditions.add(query.failed ? 'c.failed = 1' : 'c.failed = 0')
  return conditions
}
