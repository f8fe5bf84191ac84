import { RemoraError, type Usage } from '@remora/protocol/plain'
import type { Budget } from './options.ts'

/** Returns an error if the budget is spent. @example checkSpending({ totalTokens: 100 }, { totalTokens: 120 }) */
export function checkSpending(budget: Budget | undefined, spent: Usage): RemoraError | undefined {
  if (!budget) return undefined
  const used = {
    totalTokens: spent.totalTokens ?? (spent.inputTokens ?? 0) + (spent.outputTokens ?? 0),
    inputTokens: spent.inputTokens ?? 0,
    outputTokens: spent.outputTokens ?? 0,
  }
  for (const [name, limit] of Object.entries(budget) as [keyof Budget, number | undefined][]) {
    if (limit === undefined || used[name] < limit) continue
    return new RemoraError('budget', `The budget is spent: ${used[name]} of ${limit} ${units[name]}`, {
      hint: 'Give a larger budget, or begin a new session.',
    })
  }
  return undefined
}

/** Throws for an invalid budget. */
export function checkBudget(budget: Budget | undefined): void {
  for (const [name, limit] of Object.entries(budget ?? {}))
    if (limit !== undefined && (!(name in units) || !Number.isFinite(limit) || (limit as number) <= 0))
      throw new RemoraError('usage', `budget: ${name} is ${String(limit)}`, {
        hint: 'Give totalTokens, inputTokens or outputTokens, each above zero.',
      })
}

const units: Record<keyof Budget, string> = {
  totalTokens: 'tokens',
  inputTokens: 'input tokens',
  outputTokens: 'output tokens',
}
