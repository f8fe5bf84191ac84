import type { Message } from '@remora/protocol'
import { expect, it } from 'vitest'
import { getCurrentTodos } from './current-todos.ts'

const said = (todos: readonly object[], more: Partial<Message> = {}): Message => ({
  id: 'm',
  role: 'assistant',
  tool: 'gemini',
  timestamp: 0,
  _original: [],
  content: [{ type: 'tool_use', id: 't', name: 'TodoWrite', input: { todos } }],
  ...more,
})
const step = (status: string): object => ({ content: 'A step', status })

it('counts the entries of the latest list, without cancelled ones', () => {
  const messages = [
    said([step('pending')]),
    said([step('completed'), step('in_progress'), step('cancelled')]),
  ]
  expect(getCurrentTodos(messages)).toMatchObject({ done: 1, all: 2 })
})

it("returns nothing without entries, or for a sub-agent's list", () => {
  expect(getCurrentTodos([])).toBeUndefined()
  expect(getCurrentTodos([said([])])).toBeUndefined()
  expect(getCurrentTodos([said([step('pending')], { parent: 'call' })])).toBeUndefined()
})
