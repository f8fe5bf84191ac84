import type { Usage } from '@remora/protocol/plain'

/** The date of the prices. */
export const pricesAsOf = '2026-11-15'

/** Dollars per million tokens. */
interface Price {
  readonly input: number
  readonly output: number
  /** Input read from a cache. */
  readonly cached: number
  /** Input written to a cache. */
  readonly cacheWrite: number
}

/** Anthropic charges 125 % of the input price for cache writes and 10 % for cache reads. */
const anthropic = (input: number, output: number): Price => ({
  input,
  output,
  cached: input * 0.1,
  cacheWrite: input * 1.25,
})

/** Other providers charge the input price for cache writes. */
const others = (input: number, output: number, cached = input * 0.1): Price => ({
  input,
  output,
  cached,
  cacheWrite: input,
})

/**
 * List prices of the agents' models, without discounts, batch or regional prices, or surcharges for long contexts. A
 * model that is not listed has no price, because a guess could be taken for a fact.
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
 * Gets the price of a model's tokens in dollars, by its list price; undefined for an unknown model.
 *
 * @example getCost('claude-opus-4-8', { inputTokens: 1_000_000 }) // 5
 */
export function getCost(model: string, usage: Usage): number | undefined {
  const name = toBareName(model)
  const price = Object.hasOwn(prices, name) ? prices[name] : undefined
  if (!price) return undefined
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  const { thought, tool } = getSeparateTokens(usage)
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens) + tool
  const dollars =
    fresh * price.input +
    cachedTokens * price.cached +
    cacheWriteTokens * price.cacheWrite +
    (outputTokens + thought) * price.output
  return dollars / 1_000_000
}

/** Gets thought and tool tokens that are not part of output and input. Only the total shows whether they are. */
function getSeparateTokens({
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

/** Strips provider, date and context size, such as of `us.anthropic.claude-opus-4-1-20250805-v1:0`. */
function toBareName(model: string): string {
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
