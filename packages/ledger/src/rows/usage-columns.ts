import type { EventOf, Usage } from '@remora/protocol/plain'

/** The tokens of a row, or the sum of many: null where nobody told them. */
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

/** What an event says of tokens, as both engines store it behind the name of what it is about: from `agent` on. */
export function toUsageValues(event: EventOf<'usage'>): readonly (string | number | null)[] {
  const { agent, at, model = null, usage, costUsd = null, models } = event
  const tokens = columns.map((column) => usage[names[column]] ?? null)
  return [agent, at, model, ...tokens, costUsd, models ? JSON.stringify(models) : null]
}
