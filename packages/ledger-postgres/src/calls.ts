import type { CallCount, CallCountsQuery, CallEntry, CallsQuery } from '@remora/ledger'
import {
  type CallRow,
  toCallCount,
  buildCallCountsSql,
  toCallEntry,
  buildCallsSql,
  formatDay,
} from '@remora/ledger/internal'
import { toDaySql } from './clock.ts'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'
import { updateCalls } from './update-calls.ts'
import { hashSession } from './hash.ts'

/** Lists calls, after deriving them from new events. */
export async function listCalls(connection: Connection, query: CallsQuery): Promise<CallEntry[]> {
  await updateCalls(connection)
  const conditions = buildConditions(query)
  const limit = query.limit === undefined ? '' : `LIMIT ${conditions.place(query.limit)}`
  const sql = `${buildCallsSql(query, conditions.where)} ${limit}`
  return (await connection.all<CallRow>(sql, ...conditions.parameters)).map(toCallEntry).reverse()
}

/** Counts calls by group: by day, or most failures first. */
export async function countCalls(connection: Connection, query: CallCountsQuery): Promise<CallCount[]> {
  await updateCalls(connection)
  const conditions = buildConditions(query)
  const failed = 'count(*) FILTER (WHERE c.failed)'
  const sql = buildCallCountsSql(query, conditions.where, { day: toDaySql, failed })
  const rows = await connection.all<{ readonly day?: number }>(sql, ...conditions.parameters)
  return rows.map(({ day, ...rest }) => {
    const count = { ...(day === undefined ? {} : { day: formatDay(day) }), ...rest }
    return toCallCount(count) as unknown as CallCount
  })
}

function buildConditions(query: CallsQuery): Conditions {
  const conditions = new Conditions()
  conditions.addIf(query.agent, 's.agent = ?')
  if (query.session) conditions.add('s.key = ?', hashSession(query.session))
  conditions.addFolder(query.cwd, 's.cwd')
  conditions.addIf(query.since, 'c.at >= ?')
  conditions.addIf(query.until, 'c.at < ?')
  conditions.addIf(query.tool, '(lower(c.tool) = lower(?::text) OR lower(c.native) = lower(?::text))')
  if (query.failed !== undefined) conditions.add(query.failed ? 'c.failed' : 'NOT c.failed')
  return conditions
}
