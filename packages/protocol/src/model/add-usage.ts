import type { Usage } from './usage.ts'

/** Adds two usages; a count that neither side has stays absent. @example addUsage({ inputTokens: 1 }, { inputTokens: 2 }) // { inputTokens: 3 } */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Usage = { ...left }
  for (const key of Object.keys(right) as (keyof Usage)[]) {
    const value = right[key]
    if (value !== undefined) sum[key] = (sum[key] ?? 0) + value
  }
  return sum
}
