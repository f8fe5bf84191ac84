import { addUsage, type EventOf, type Usage } from '@remora/protocol/plain'
import type { UsageEntry, UsageGroup, UsageQuery } from '../model/ledger.ts'

export interface UsageRow extends UsageColumns {
  /** Days since 1970. */
  readonly day?: number
  readonly agent?: string
  readonly model?: string | null
  readonly project?: string | null
  readonly session?: string
  readonly cost: number | null
  /** The split of a run by model as JSON, if it was reported. */
  readonly models: string | null
}

type Group = Omit<UsageEntry, 'usage' | 'costUsd'>

/** Merges rows into entries, sorted by day and then by size. */
export function toUsageEntries(rows: readonly UsageRow[]): UsageEntry[] {
  const sums = new Map<string, UsageEntry>()
  for (const row of rows) for (const entry of toEntries(row)) add(sums, entry)
  return [...sums.values()].sort(compare)
}

/** One entry, or one per model of a run that reports them separately. */
function toEntries(row: UsageRow): UsageEntry[] {
  const day = row.day === undefined ? undefined : formatDay(row.day)
  const group: Group = {
    ...(day === undefined ? {} : { day }),
    ...(row.agent === undefined ? {} : { agent: row.agent }),
    ...(typeof row.model === 'string' ? { model: row.model } : {}),
    ...(typeof row.project === 'string' ? { project: row.project } : {}),
    ...(row.session === undefined ? {} : { session: row.session }),
  }
  const cost = row.cost === null ? {} : { costUsd: row.cost }
  if (row.models === null) return [{ ...group, usage: toUsage(row), ...cost }]
  const models = Object.entries(JSON.parse(row.models) as Record<string, Usage>)
  if (models.length === 1) return models.map(([model, usage]) => ({ ...group, model, usage, ...cost }))
  // The cost per model is unknown.
  const rest = row.cost === null ? [] : [{ ...group, usage: {}, ...cost }]
  return [...models.map(([model, usage]) => ({ ...group, model, usage })), ...rest]
}

function add(sums: Map<string, UsageEntry>, entry: UsageEntry): void {
  const { usage, costUsd, ...group } = entry
  const id = JSON.stringify(group)
  const sum = sums.get(id)
  if (!sum) {
    sums.set(id, entry)
    return
  }
  const cost =
    sum.costUsd === undefined && costUsd === undefined ? {} : { costUsd: (sum.costUsd ?? 0) + (costUsd ?? 0) }
  sums.set(id, { ...sum, usage: addUsage(sum.usage, usage), ...cost })
}

function compare(left: UsageEntry, right: UsageEntry): number {
  return (left.day ?? '').localeCompare(right.day ?? '') || weight(right) - weight(left)
}

function weight({ usage }: UsageEntry): number {
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) || (usage.totalTokens ?? 0)
}

/** Formats the day that starts this many days after 1970; undefined for a day that no calendar has. */
export function formatDay(days: number): string | undefined {
  const date = new Date(days * 86_400_000)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10)
}

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

/** Token counts of a row, or their sum; null if none were reported. */
export interface UsageColumns {
  readonly input: number | null
  readonly output: number | null
  readonly total: number | null
  readonly cached: number | null
  readonly cache_write: number | null
  readonly thought: number | null
  readonly tool: number | null
}

const names = {
  input: 'inputTokens',
  output: 'outputTokens',
  total: 'totalTokens',
  cached: 'cachedTokens',
  cache_write: 'cacheWriteTokens',
  thought: 'thoughtTokens',
  tool: 'toolTokens',
} as const

const columns = Object.keys(names) as (keyof UsageColumns)[]

export const columnNames = columns.join(', ')
export const sumColumns = columns.map((column) => `sum(u.${column}) AS ${column}`).join(', ')

export function toUsage(row: UsageColumns): Usage {
  const usage: Usage = {}
  for (const column of columns) if (row[column] !== null) usage[names[column]] = row[column]
  return usage
}

/** The stored columns of a usage event from `agent` on, in the order of both engines. */
export function toUsageValues(event: EventOf<'usage'>): readonly (string | number | null)[] {
  const { agent, at, model = null, usage, costUsd = null, models } = event
  const tokens = columns.map((column) => usage[names[column]] ?? null)
  return [agent, at, model, ...tokens, costUsd, models ? JSON.stringify(models) : null]
}
