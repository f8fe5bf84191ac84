import type { Ledger, UsageEntry } from '@remora/ledger'
import { type Usage, addUsage } from '@remora/protocol/plain'
import type { Spending, UsageReport } from '@remora/protocol/api'
import { getCost, pricesAsOf } from '@remora/sdk/prices'
import type { CallFilter } from './failures.ts'
import { listDays } from './report.ts'

type Sum = { usage: Usage; tokens: number; costUsd?: number; unpriced: boolean }
type DaySum = Sum & { models: Record<string, number> }

const limits = { days: 800, names: 50 }

/** Reports usage and cost by day, model, project and agent; costs that agents do not report come from list prices. */
export async function createUsageReport(
  ledger: Ledger,
  filter: CallFilter,
  utcOffset: number,
): Promise<UsageReport> {
  const entries = await ledger.usage({ ...filter, by: ['day', 'agent', 'model', 'project'], utcOffset })
  const total = createSum()
  const days = new Map<string, DaySum>()
  const [models, projects, agents] = [0, 1, 2].map(() => new Map<string, Sum>()) as [Sums, Sums, Sums]
  const unpriced = new Set<string>()
  let isPriced = false
  for (const entry of entries) {
    const tokens = countTokens(entry.usage)
    if (tokens === 0 && !entry.costUsd) continue
    const { cost, isEstimated } = getEntryCost(entry)
    isPriced ||= isEstimated
    const isUnpriced = cost === undefined && tokens > 0
    const model = entry.model ?? ''
    if (isUnpriced) unpriced.add(model || (entry.agent ?? ''))
    const day = days.get(entry.day ?? '') ?? { ...createSum(), models: {} }
    days.set(entry.day ?? '', day)
    day.models[model] = (day.models[model] ?? 0) + tokens
    for (const sum of [
      total,
      day,
      getSum(models, model),
      getSum(projects, entry.project ?? ''),
      getSum(agents, entry.agent ?? ''),
    ])
      add(sum, entry.usage, tokens, cost, isUnpriced)
  }
  const names = [...days.keys()].filter(Boolean).sort()
  return {
    total,
    days:
      names.length === 0
        ? []
        : listDays(names[0]!, names.at(-1)!, limits.days).map((day) => ({
            day,
            ...(days.get(day) ?? { ...createSum(), models: {} }),
          })),
    models: rank(models),
    projects: rank(projects),
    agents: rank(agents),
    unpriced: [...unpriced].sort().slice(0, limits.names),
    ...(isPriced ? { pricesAsOf } : {}),
  }
}

type Sums = Map<string, Sum>

function getEntryCost({ costUsd, model, usage }: UsageEntry): {
  cost: number | undefined
  isEstimated: boolean
} {
  if (costUsd) return { cost: costUsd, isEstimated: false }
  const estimate = getCost(model ?? '', usage)
  return { cost: estimate ?? costUsd, isEstimated: estimate !== undefined }
}

function createSum(): Sum {
  return { usage: {}, tokens: 0, unpriced: false }
}

function getSum(sums: Sums, name: string): Sum {
  const sum = sums.get(name) ?? createSum()
  sums.set(name, sum)
  return sum
}

function add(sum: Sum, usage: Usage, tokens: number, cost: number | undefined, isUnpriced: boolean): void {
  sum.usage = addUsage(sum.usage, usage)
  sum.tokens += tokens
  if (cost !== undefined) sum.costUsd = (sum.costUsd ?? 0) + cost
  sum.unpriced ||= isUnpriced
}

function rank(sums: Sums): Spending[] {
  return [...sums]
    .map(([name, sum]) => ({ name, ...sum }))
    .sort((one, other) => other.tokens - one.tokens)
    .slice(0, limits.names)
}

/** Counts all tokens; without a total, input and output. */
function countTokens({ totalTokens, inputTokens = 0, outputTokens = 0 }: Usage): number {
  return totalTokens ?? inputTokens + outputTokens
}
