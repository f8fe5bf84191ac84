import type { Message } from '@remora/protocol'
import { expect, it } from 'vitest'
import { listPrompts } from './prompt-history.ts'

const said = (text: string, more: Partial<Message> = {}): Message => ({
  id: text,
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: 0,
  tool: 'gemini',
  _original: [],
  ...more,
})

it('lists user prompts, latest first, without duplicates', () => {
  const messages = [
    said('one'),
    said('answer', { role: 'assistant' }),
    said('told by the CLI', { context: true }),
    said('to a sub-agent', { parent: 'call' }),
    said('two'),
    said('one'),
    said('  '),
  ]
  expect(listPrompts(messages)).toEqual(['one', 'two'])
})
