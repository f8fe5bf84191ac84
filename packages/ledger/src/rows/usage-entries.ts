import { type Usage, addUsage } from '@remora/protocol/plain'
import type { UsageEntry } from '../model/ledger.ts'
import { type UsageColumns, toUsage } from './usage-columns.ts'

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
