import type { UsageGroup, UsageQuery } from '../model/ledger.ts'
import { sumColumns } from './usage-columns.ts'

/** An engine's usage table, and how it writes a day. */
export interface UsageTable {
  readonly table: string
  /** SQL for the time of a row in milliseconds. */
  readonly at: string
  /** SQL for the number of days since 1970. */
  day(moment: string): string
}

/** SQL for the sums by group of the rows that match the conditions. */
export function buildUsageSql(query: UsageQuery, { table, at, day }: UsageTable, where: string): string {
  const by = new Set(query.by)
  // A session id is unique only within its agent.
  if (by.has('session')) by.add('agent')
  const offset = Math.trunc(query.utcOffset ?? 0) * 60_000
  const columns: readonly [UsageGroup, string][] = [
    ['day', day(`(${at} + ${offset})`)],
    ['agent', 's.agent'],
    // Some agents report the model only for the session.
    ['model', 'coalesce(u.model, s.model)'],
    ['project', 's.cwd'],
    ['session', 's.session'],
  ]
  const groups = columns.filter(([group]) => by.has(group))
  // Only grouping by model needs the split, and a row that has one cannot be summed with others.
  const split = by.has('model') ? 'u.models' : 'CAST(NULL AS TEXT)'
  return `SELECT ${groups.map(([group, column]) => `${column} AS ${group}, `).join('')}
      ${sumColumns}, sum(u.cost) AS cost, ${split} AS models
    FROM ${table} u JOIN sessions s ON s.id = u.session_id
    ${where}
    GROUP BY ${[...groups.map(([, column]) => column), split].join()}
    HAVING count(*) > 0`
}
