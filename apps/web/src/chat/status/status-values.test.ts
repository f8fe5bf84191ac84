import type { Message } from '@remora/protocol'
import { expect, it } from 'vitest'
import { findLastUsage, getCurrentTodos, getPercentLeft, getUnknownState } from './status-values.ts'
import { words } from '../../words/index.ts'

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

it('does not know the state while the server or the machine is offline', () => {
  expect(getUnknownState({}, true)).toBeUndefined()
  expect(getUnknownState({}, false)).toBe(words.status.offline)
  const node = { id: 'n', name: 'tower' }
  expect(getUnknownState({ node: { ...node, silent: true } }, true)).toBe(words.machines.offline('tower'))
  expect(getUnknownState({ node }, true)).toBeUndefined()
})

const withTodos = (todos: readonly object[], more: Partial<Message> = {}): Message =>
  answer({ content: [{ type: 'tool_use', id: 't', name: 'TodoWrite', input: { todos } }], ...more })
const step = (status: string): object => ({ content: 'A step', status })

it('counts the entries of the latest list, without cancelled ones', () => {
  const messages = [
    withTodos([step('pending')]),
    withTodos([step('completed'), step('in_progress'), step('cancelled')]),
  ]
  expect(getCurrentTodos(messages)).toMatchObject({ done: 1, all: 2 })
})

it("returns nothing without entries, or for a sub-agent's list", () => {
  expect(getCurrentTodos([])).toBeUndefined()
  expect(getCurrentTodos([withTodos([])])).toBeUndefined()
  expect(getCurrentTodos([withTodos([step('pending')], { parent: 'call' })])).toBeUndefined()
})
