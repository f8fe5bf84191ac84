import type { UsageEntry, UsageGroup } from '@remora/ledger'
import type { Usage } from '@remora/protocol/plain'

/** The cost of something, as far as it is known. */
export interface Spending {
  readonly usage: Usage
  readonly costUsd?: number | undefined
  /** Whether it includes tokens without a price. */
  readonly unpriced: boolean
}

export interface UsageReport {
  readonly rows: readonly (Spending & UsageEntry)[]
  readonly total: Spending
  /** Models without a price. */
  readonly unpriced: readonly string[]
  /** Whether any cost is computed from our price table. */
  readonly priced: boolean
  readonly pricesAsOf: string
}

/** Groups usage and adds its cost: as reported by the agent, else from the price table. */
export async function createReport(
  entries: readonly UsageEntry[],
  by: readonly UsageGroup[],
): Promise<UsageReport> {
  const { getCost, pricesAsOf } = await import('@remora/sdk/prices')
  const rows = new Map<string, Sum & UsageEntry>()
  const total: Sum = { usage: {}, costUsd: undefined, unpriced: false }
  const unknown = new Set<string>()
  let priced = false
  for (const entry of entries) {
    const reported = entry.costUsd
    const computed = reported ? undefined : getCost(entry.model ?? '', entry.usage)
    const cost = reported || (computed ?? reported)
    priced ||= computed !== undefined
    const lacking = cost === undefined && (sumTokens(entry.usage) ?? 0) > 0
    if (lacking) unknown.add(entry.model ?? `${entry.agent ?? 'an agent'} (unknown model)`)
    const fields = Object.fromEntries(by.map((group) => [group, entry[group]]))
    const key = JSON.stringify(by.map((group) => entry[group] ?? null))
    const row = rows.get(key) ?? { ...fields, usage: {}, costUsd: undefined, unpriced: false }
    rows.set(key, row)
    for (const sum of [row, total]) add(sum, entry.usage, cost, lacking)
  }
  return { rows: [...rows.values()], total, unpriced: [...unknown].sort(), priced, pricesAsOf }
}

/** The first day of the report, if `--since` is a time within it. */
export function findPartialDay(
  { rows }: Pick<UsageReport, 'rows'>,
  since: number | undefined,
): { readonly day: string; readonly from: string } | undefined {
  if (since === undefined) return undefined
  const start = new Date(since)
  const day = start.toLocaleDateString('sv')
  const isMidnight = new Date(start).setHours(0, 0, 0, 0) === since
  if (isMidnight || !rows.some((row) => row.day === day)) return undefined
  return { day, from: start.toLocaleTimeString('sv').slice(0, 5) }
}

type Sum = { usage: Usage; costUsd: number | undefined; unpriced: boolean }

function add(sum: Sum, usage: Usage, cost: number | undefined, lacking: boolean): void {
  for (const key of Object.keys(usage) as (keyof Usage)[])
    sum.usage[key] = (sum.usage[key] ?? 0) + (usage[key] ?? 0)
  if (cost !== undefined) sum.costUsd = (sum.costUsd ?? 0) + cost
  sum.unpriced ||= lacking
}

/** The total number of tokens; input and output if the agent reports no total. */
export function sumTokens({ totalTokens, inputTokens, outputTokens }: Usage): number | undefined {
  if (totalTokens !== undefined) return totalTokens
  return inputTokens === undefined && outputTokens === undefined
    ? undefined
    : (inputTokens ?? 0) + (outputTokens ?? 0)
}
