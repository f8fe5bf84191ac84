import type { Message } from '@remora/protocol'
import { expect, it } from 'vitest'
import { findRowAt, toRows } from './rows.ts'

function createMessage(timestamp: number, fields: Partial<Message> = {}): Message {
  return {
    id: `m${timestamp}`,
    role: 'user',
    content: [],
    timestamp,
    tool: 'claude',
    _original: [],
    ...fields,
  }
}

it('finds the last message before a time', () => {
  const rows = toRows([createMessage(10), createMessage(20, { role: 'assistant' }), createMessage(30)], 0)
  expect([9, 10, 19, 20, 25, 30, 99].map((time) => findRowAt(rows, time))).toEqual([-1, 0, 0, 1, 1, 2, 2])
})

it('finds a prompt although the file or note after it has an earlier or equal time', () => {
  const rows = toRows(
    [
      createMessage(22),
      createMessage(18, { context: true }),
      createMessage(22, { context: true }),
      createMessage(19, { role: 'system' }),
      createMessage(40, { role: 'assistant' }),
    ],
    0,
  )
  expect([19, 22, 40].map((time) => findRowAt(rows, time))).toEqual([3, 0, 4])
})
