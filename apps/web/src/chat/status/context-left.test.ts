import type { Message } from '@remora/protocol'
import { expect, it } from 'vitest'
import { findLastUsage, getPercentLeft } from './context-left.ts'

const answer = (more: Partial<Message>): Message => ({
  id: 'x',
  role: 'assistant',
  content: [],
  timestamp: 0,
  tool: 'claude',
  _original: [],
  ...more,
})

it('uses the last answer of the main agent', () => {
  const messages = [
    answer({ usage: { inputTokens: 10, outputTokens: 5 }, model: 'opus' }),
    answer({ usage: { inputTokens: 900 }, parent: 'sub-agent' }),
    answer({}),
    answer({ role: 'user', usage: { inputTokens: 1 } }),
  ]
  expect(findLastUsage(messages)).toEqual({ model: 'opus', tokens: 15 })
  expect(findLastUsage([])).toBeUndefined()
})

it('returns nothing for contradictory numbers', () => {
  expect(getPercentLeft(50_000, 200_000)).toBe(75)
  expect(getPercentLeft(0, 100)).toBe(100)
  expect(getPercentLeft(300_000, 200_000)).toBeUndefined()
  expect(getPercentLeft(undefined, 100)).toBeUndefined()
  expect(getPercentLeft(10, 0)).toBeUndefined()
})
