import type { Usage } from '@remora/protocol/plain'

/** The day on which the prices were looked up. */
export const pricesAsOf = '2026-11-15'

/** Dollars for a million tokens. */
interface Price {
  readonly input: number
  readonly output: number
  /** Input that came from a cache, and input that was put into one. */
  readonly cached: number
  readonly cacheWrite: number
}

/** A cache of Claude costs a quarter more to write and a tenth to read. */
const anthropic = (input: number, output: number): Price => ({
  input,
  output,
  cached: input * 0.1,
  cacheWrite: input * 1.25,
})

/** Others take no more for what they put into a cache. */
const others = (input: number, output: number, cached = input * 0.1): Price => ({
  input,
  output,
  cached,
  cacheWrite: input,
})

/**
 * List prices of the models that the agents use, without discounts, batches, regions and what long contexts cost on top.
 * A model that is not here has no price: a guess would look like knowledge.
 */
const prices: Readonly<Record<string, Price>> = {
  'claude-fable-5': anthropic(10, 50),
  'claude-mythos-5': anthropic(10, 50),
  'claude-opus-5': anthropic(5, 25),
  'claude-opus-4-8': anthropic(5, 25),
  'claude-opus-4-7': anthropic(5, 25),
  'claude-opus-4-6': anthropic(5, 25),
  'claude-opus-4-5': anthropic(5, 25),
  'claude-opus-4-1': anthropic(15, 75),
  'claude-opus-4': anthropic(15, 75),
  'claude-sonnet-5': anthropic(2, 10),
  'claude-sonnet-4-6': anthropic(3, 15),
  'claude-sonnet-4-5': anthropic(3, 15),
  'claude-sonnet-4': anthropic(3, 15),
  'claude-haiku-4-5': anthropic(1, 5),
  'claude-3-7-sonnet': anthropic(3, 15),
  'claude-3-5-sonnet': anthropic(3, 15),
  'claude-3-5-haiku': anthropic(0.8, 4),
  'claude-3-opus': anthropic(15, 75),
  'claude-3-haiku': { input: 0.25, output: 1.25, cached: 0.03, cacheWrite: 0.3 },

  'gemini-3.8-flash': others(0.75, 3.75),
  'gemini-3.6-flash': others(0.75, 3.75),
  'gemini-3.5-flash': others(1.5, 9),
  'gemini-3.5-flash-lite': others(0.3, 2.5),
  'gemini-3.1-pro': others(2, 12),
  'gemini-3.1-flash-lite': others(0.25, 1.5),
  'gemini-3-pro': others(2, 12),
  'gemini-3-flash': others(0.5, 3),
  'gemini-2.5-pro': others(1.25, 10),
  'gemini-2.5-flash': others(0.3, 2.5),
  'gemini-2.5-flash-lite': others(0.1, 0.4),

  'gpt-5.6-sol': others(4, 20),
  'gpt-5.6-terra': others(2, 12),
  'gpt-5.6-luna': others(0.2, 1.2),
  'gpt-5.5': others(5, 30),
  'gpt-5.5-pro': others(30, 180),
  'gpt-5.4': others(2.5, 15),
  'gpt-5.4-pro': others(30, 180),
  'gpt-5.4-mini': others(0.75, 4.5),
  'gpt-5.4-nano': others(0.2, 1.25),
  'gpt-5.3-codex': others(1.75, 14),
  'gpt-5.2': others(1.75, 14),
  'gpt-5.2-codex': others(1.75, 14),
  'gpt-5.2-pro': others(21, 168),
  'gpt-5.1': others(1.25, 10),
  'gpt-5.1-codex': others(1.25, 10),
  'gpt-5.1-codex-max': others(1.25, 10),
  'gpt-5.1-codex-mini': others(0.25, 2),
  'gpt-5': others(1.25, 10),
  'gpt-5-codex': others(1.25, 10),
  'gpt-5-pro': others(15, 120),
  'gpt-5-mini': others(0.25, 2),
  'gpt-5-nano': others(0.05, 0.4),
  'gpt-4.1': others(2, 8, 0.5),
  'gpt-4.1-mini': others(0.4, 1.6, 0.1),
  'gpt-4o': others(2.5, 10, 1.25),
  'gpt-4o-mini': others(0.15, 0.6, 0.075),
}

/**
 * What tokens of a model cost in dollars, by its list price; undefined where that is not known.
 *
 * @example costOf('claude-opus-4-8', { inputTokens: 1_000_000 }) // 5
 */
export function costOf(model: string, usage: Usage): number | undefined {
  const name = bareName(model)
  const price = Object.hasOwn(prices, name) ? prices[name] : undefined
  if (!price) return undefined
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  const { thought, tool } = beside(usage)
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens) + tool
  const dollars =
    fresh * price.input +
    cachedTokens * price.cached +
    cacheWriteTokens * price.cacheWrite +
    (outputTokens + thought) * price.output
  return dollars / 1_000_000
}

/** Some agents count thoughts and what tools were told apart from output and input: what the total shows. */
function beside({
  inputTokens = 0,
  outputTokens = 0,
  totalTokens = 0,
  thoughtTokens = 0,
  toolTokens = 0,
}: Usage): { thought: number; tool: number } {
  const rest = Math.max(0, totalTokens - inputTokens - outputTokens)
  const thought = Math.min(thoughtTokens, rest)
  return { thought, tool: Math.min(toolTokens, rest - thought) }
}

/** The model without who serves it, from when it is and how much it can hold: `us.anthropic.claude-opus-4-1-20250805-v1:0`. */
function bareName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z-]+\.)?anthropic\./, '')
    .replace(/\[[^\]]*\]$/, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/[@-]\d{8}$/, '')
    .replace(/-\d{4}-\d{2}-\d{2}$/, '')
    .replace(/-(?:latest|preview)(?:-[\d-]+)?$/, '')
}
