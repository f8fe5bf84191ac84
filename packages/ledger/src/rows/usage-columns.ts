import type { EventOf, Usage } from '@remora/protocol/plain'

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
