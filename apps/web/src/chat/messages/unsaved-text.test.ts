import type { Message } from '@remora/protocol'
import { expect, it } from 'vitest'
import { toRows } from './rows.ts'
import { getUnsavedText } from './unsaved-text.ts'

function answers(role: Message['role'], text: string): Message {
  return { id: text, role, content: [{ type: 'text', text }], timestamp: 1, tool: 'gemini' } as Message
}

const rows = toRows(
  [
    answers('user', 'Write it now.'),
    answers('assistant', 'I **write** the `note`\nnow.'),
    answers('user', 'And then?'),
  ],
  0,
)

it.each([
  ['not written yet', 'I will think about it', 'I will think about it'],
  ['longer than what is written', 'I write the note now. And', 'I write the note now. And'],
  ['behind what is written', 'Broken off\nI write the note now.\nAnd then', 'And then'],
  ['above what is written', 'Broken off\nI write the note now.', undefined],
  ['written, and wrapped by the screen', 'I write the\n  note now.', undefined],
  ['the beginning of what is written', 'I write', undefined],
  ["a person's own", 'Write it now.', 'Write it now.'],
  ['without a letter', '…', '…'],
  ['nothing', undefined, undefined],
])('screen text that is %s', (_, text, shown) => {
  expect(getUnsavedText(text, rows)).toBe(shown)
})

it('returns the whole text without messages', () => {
  expect(getUnsavedText('Hello', [])).toBe('Hello')
})

it('ignores old messages', () => {
  const later = toRows(
    [answers('assistant', 'Yes.'), ...Array.from({ length: 8 }, (_, i) => answers('user', `${i}`))],
    0,
  )
  expect(getUnsavedText('Yes.', later)).toBe('Yes.')
})
