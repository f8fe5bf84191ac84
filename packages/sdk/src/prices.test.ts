import { describe, expect, it } from 'vitest'
import { getCost, pricesAsOf } from './prices.ts'

const million = 1_000_000

describe('the cost of tokens', () => {
  it('depends on their kind, and cached tokens are not counted twice', () => {
    expect(getCost('claude-opus-4-8', { inputTokens: million })).toBeCloseTo(5)
    expect(getCost('claude-opus-4-8', { outputTokens: million })).toBeCloseTo(25)
    expect(getCost('claude-opus-4-8', { inputTokens: million, cachedTokens: million })).toBeCloseTo(0.5)
    expect(getCost('claude-opus-4-8', { inputTokens: million, cacheWriteTokens: million })).toBeCloseTo(6.25)
    expect(
      getCost('claude-sonnet-4-5', {
        inputTokens: 3000,
        cachedTokens: 1000,
        cacheWriteTokens: 1000,
        outputTokens: 100,
      }),
    ).toBeCloseTo((1000 * 3 + 1000 * 0.3 + 1000 * 3.75 + 100 * 15) / million)
  })

  it('includes thought and tool tokens only if the agent counts them separately', () => {
    const tokens = { inputTokens: 1000, outputTokens: 100, thoughtTokens: 50, toolTokens: 10 }
    const apart = getCost('gemini-2.5-pro', { ...tokens, totalTokens: 1160 })
    expect(apart).toBeCloseTo((1010 * 1.25 + 150 * 10) / million)
    const within = getCost('gemini-2.5-pro', { ...tokens, totalTokens: 1100 })
    expect(within).toBeCloseTo((1000 * 1.25 + 100 * 10) / million)
    expect(getCost('gemini-2.5-pro', tokens)).toBe(within)
  })

  it.each([
    ['claude-opus-4-8[1m]', 5],
    ['claude-opus-4-1-20250805', 15],
    ['anthropic/claude-sonnet-4-5', 3],
    ['openrouter/anthropic/claude-sonnet-4-5', 3],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 15],
    ['claude-sonnet-4-5@20250929', 3],
    ['claude-3-5-haiku-latest', 0.8],
    ['gemini-3-flash-preview', 0.5],
    ['models/gemini-2.5-flash-preview-09-2025', 0.3],
    ['gpt-5-2025-08-07', 1.25],
    ['GPT-5.2-Codex', 1.75],
  ])('finds the price of %s by its other name', (model, dollars) => {
    expect(getCost(model, { inputTokens: million })).toBeCloseTo(dollars)
  })

  it.each(['', 'scripted-model', 'auto', 'claude-opus-9', 'gpt-5.9', 'gemini', 'toString', '<synthetic>'])(
    'does not guess what %j costs',
    (model) => {
      expect(getCost(model, { inputTokens: million })).toBeUndefined()
    },
  )

  it('has a date', () => {
    expect(new Date(pricesAsOf).toISOString().slice(0, 10)).toBe(pricesAsOf)
  })
})
