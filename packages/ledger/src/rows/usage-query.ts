import type { UsageGroup, UsageQuery } from '../ledger.ts'
import { sumColumns } from './usage-columns.ts'

/** Where an engine has what was used, and how it writes a day. */
export interface UsageTable {
  readonly table: string
  /** When each row was, in milliseconds. */
  readonly at: string
  /** How many days after 1970 a moment is. */
  day(moment: string): string
}

/** Sums by group, of the rows that fit the conditions. */
export function buildUsageSql(query: UsageQuery, { table, at, day }: UsageTable, where: string): string {
  const by = new Set(query.by)
  // An id of a session means something only together with its agent.
  if (by.has('session')) by.add('agent')
  const offset = Math.trunc(query.utcOffset ?? 0) * 60_000
  const columns: readonly [UsageGroup, string][] = [
    ['day', day(`(${at} + ${offset})`)],
    ['agent', 's.agent'],
    // Some agents tell the model of a session only.
    ['model', 'coalesce(u.model, s.model)'],
    ['project', 's.cwd'],
    ['session', 's.session'],
  ]
  const groups = columns.filter(([group]) => by.has(group))
  // The split of a run is wanted only here, and a row that has one cannot be summed with others.
  const split = by.has('model') ? 'u.models' : 'CAST(NULL AS TEXT)'
  return `SELECT ${groups.map(([group, column]) => `${column} AS ${group}, `).join('')}
      ${sumColumns}, sum(u.cost) AS cost, ${split} AS models
    FROM ${table} u JOIN sessions s ON s.id = u.session_id
    ${where}
    GROUP BY ${[...groups.map(([, column]) => column), split].join()}
    HAVING count(*) > 0`
}
