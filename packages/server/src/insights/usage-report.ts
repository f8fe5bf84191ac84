import type { Ledger, UsageEntry } from '@remora/ledger'
import { type Usage, addUsage } from '@remora/protocol/plain'
import type { Spending, UsageReport } from '@remora/protocol/api'
import { getCost, pricesAsOf } from '@remora/sdk/prices'
import type { Chosen } from './failures.ts'
import { daysBetween } from './report.ts'

type Sum = { usage: Usage; tokens: number; costUsd?: number; unpriced: boolean }
type DaySum = Sum & { models: Record<string, number> }

const most = { days: 800, names: 50 }

/** What was used and what it cost, by day, model, project and agent: as the agents told it, else by list prices. */
export async function usageReport(ledger: Ledger, chosen: Chosen, utcOffset: number): Promise<UsageReport> {
  const entries = await ledger.usage({ ...chosen, by: ['day', 'agent', 'model', 'project'], utcOffset })
  const total = nothing()
  const days = new Map<string, DaySum>()
  const [models, projects, agents] = [0, 1, 2].map(() => new Map<string, Sum>()) as [Sums, Sums, Sums]
  const unpriced = new Set<string>()
  let isPriced = false
  for (const entry of entries) {
    const tokens = tokensOf(entry.usage)
    if (tokens === 0 && !entry.costUsd) continue
    const { cost, isOurs } = costOfEntry(entry)
    isPriced ||= isOurs
    const isLacking = cost === undefined && tokens > 0
    const model = entry.model ?? ''
    if (isLacking) unpriced.add(model || (entry.agent ?? ''))
    const day = days.get(entry.day ?? '') ?? { ...nothing(), models: {} }
    days.set(entry.day ?? '', day)
    day.models[model] = (day.models[model] ?? 0) + tokens
    for (const sum of [
      total,
      day,
      of(models, model),
      of(projects, entry.project ?? ''),
      of(agents, entry.agent ?? ''),
    ])
      add(sum, entry.usage, tokens, cost, isLacking)
  }
  const names = [...days.keys()].filter(Boolean).sort()
  return {
    total,
    days:
      names.length === 0
        ? []
        : daysBetween(names[0]!, names.at(-1)!, most.days).map((day) => ({
            day,
            ...(days.get(day) ?? { ...nothing(), models: {} }),
          })),
    models: ranked(models),
    projects: ranked(projects),
    agents: ranked(agents),
    unpriced: [...unpriced].sort().slice(0, most.names),
    ...(isPriced ? { pricesAsOf } : {}),
  }
}

type Sums = Map<string, Sum>

function costOfEntry({ costUsd, model, usage }: UsageEntry): { cost: number | undefined; isOurs: boolean } {
  if (costUsd) return { cost: costUsd, isOurs: false }
  const ours = getCost(model ?? '', usage)
  return { cost: ours ?? costUsd, isOurs: ours !== undefined }
}

function nothing(): Sum {
  return { usage: {}, tokens: 0, unpriced: false }
}

function of(sums: Sums, name: string): Sum {
  const sum = sums.get(name) ?? nothing()
  sums.set(name, sum)
  return sum
}

function add(sum: Sum, usage: Usage, tokens: number, cost: number | undefined, isLacking: boolean): void {
  sum.usage = addUsage(sum.usage, usage)
  sum.tokens += tokens
  if (cost !== undefined) sum.costUsd = (sum.costUsd ?? 0) + cost
  sum.unpriced ||= isLacking
}

function ranked(sums: Sums): Spending[] {
  return [...sums]
    .map(([name, sum]) => ({ name, ...sum }))
    .sort((one, other) => other.tokens - one.tokens)
    .slice(0, most.names)
}

/** All tokens; where the agent does not tell it, what went in and came out. */
function tokensOf({ totalTokens, inputTokens = 0, outputTokens = 0 }: Usage): number {
  return totalTokens ?? inputTokens + outputTokens
}
