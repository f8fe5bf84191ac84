import type { Message } from '@remora/protocol'
import { expect, it } from 'vitest'
import { rowsOf } from './rows.ts'
import { unwritten } from './unwritten.ts'

function said(role: Message['role'], text: string): Message {
  return { id: text, role, content: [{ type: 'text', text }], timestamp: 1, tool: 'gemini' } as Message
}

const rows = rowsOf(
  [
    said('assistant', 'All is well.'),
    said('user', 'Write it.'),
    said('assistant', 'I **write** the `note`\nnow.'),
  ],
  0,
)

it.each([
  ['not written yet', 'I will think about it', 'I will think about it'],
  ['longer than what is written', 'I write the note now. And then', 'I write the note now. And then'],
  ['written, and wrapped by the screen', 'I write the\n  note now.', undefined],
  ['the beginning of what is written', 'I write', undefined],
  ['written in a turn before', 'All is well.', 'All is well.'],
  ['without a letter', '…', '…'],
  ['nothing', undefined, undefined],
])('words that are %s', (_, text, shown) => {
  expect(unwritten(text, rows)).toBe(shown)
})

it('shows everything where nothing was said', () => {
  expect(unwritten('Hello', [])).toBe('Hello')
})
