import { fold, getMessageText } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { readInPieces } from './records.test-data.ts'

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const header = {
  sessionId: 's-1',
  projectHash: 'p',
  startTime: time(0),
  lastUpdated: time(0),
  kind: 'main',
}
const user = (id: string, second: number, ...texts: string[]) => ({
  id,
  timestamp: time(second),
  type: 'user',
  content: texts.map((text) => ({ text })),
})
const model = (id: string, second: number, text: string) => ({
  id,
  timestamp: time(second),
  type: 'gemini',
  content: [{ text }],
})
const info = (id: string, second: number, content: string) => ({
  id,
  timestamp: time(second),
  type: 'info',
  content,
})
const list = (...messages: object[]) => ({ $set: { messages } })
const context = '<session_context>\nToday\n</session_context>'
const first = [user('1', 1, 'One'), model('2', 2, 'First')]

/** The conversation, read at once and also with a restart before each line. Dropped messages are marked. */
function read(...records: object[]): string[] {
  const lines = [header, ...records].map((record) => JSON.stringify(record))
  const show = (cuts: readonly number[]) =>
    fold(readInPieces(lines, cuts))
      .filter((message) => !message.context)
      .map((message) => (message.interrupted ? '✂ ' : '') + getMessageText(message))
  const atOnce = show([])
  expect(show(lines.map((_, index) => index))).toEqual(atOnce)
  return atOnce
}

describe('a list of messages that Gemini CLI writes again', () => {
  it('keeps the prompt of an interrupted turn', () => {
    const cancelled = [user('3', 3, 'Two'), info('4', 4, 'Request cancelled.')]
    expect(read(...first, ...cancelled, list(...first))).toEqual([
      'One',
      'First',
      '✂ Two',
      'Request cancelled.',
    ])
  })

  it('keeps the prompt of a turn that failed with an API error', () => {
    const failed = { id: '4', timestamp: time(4), type: 'error', content: '[API Error: quota]' }
    expect(read(...first, user('3', 3, 'Two'), failed, list(...first), user('5', 5, 'Three'))).toEqual([
      'One',
      'First',
      '✂ Two',
      '[API Error: quota]',
      'Three',
    ])
  })

  it('keeps a refused turn that it leaves out while it gives the others new ids', () => {
    const again = [user('8', 9, context, 'One'), model('9', 9, 'First')]
    const refused = [user('3', 3, 'Two'), model('4', 4, 'I will try'), info('5', 5, 'Request cancelled.')]
    const shown = ['One', 'First', '✂ Two', '✂ I will try', 'Request cancelled.']
    expect(read(...first, ...refused, ...again, list(...again))).toEqual(shown)
    const next = [user('10', 10, 'Three'), model('11', 11, 'Third')]
    expect(read(...first, ...refused, ...again, list(...again), ...next)).toEqual([
      ...shown,
      'Three',
      'Third',
    ])
  })

  it('replaces messages only by a new summary', () => {
    const summary = [
      user('6', 6, context, '<state_snapshot>They said one.</state_snapshot>'),
      model('7', 6, 'Got it.'),
    ]
    const compressed = [...first, ...summary, list(...summary)]
    expect(read(...compressed)).toEqual(['Got it.'])
    const cancelled = [user('8', 8, 'Two'), info('9', 9, 'Request cancelled.')]
    expect(read(...compressed, ...cancelled, list(...summary))).toEqual([
      'Got it.',
      '✂ Two',
      'Request cancelled.',
    ])
  })

  it('still removes messages that the user rewound', () => {
    const second = [user('3', 3, 'Two'), model('4', 4, 'Second')]
    expect(read(...first, ...second, { $rewindTo: '3' }, list(...first))).toEqual(['One', 'First'])
    // A document up to 0.38 omits messages only after a rewind.
    const { sessionId, startTime } = header
    const document = (...messages: object[]) => ({ sessionId, startTime, lastUpdated: time(9), messages })
    expect(read(document(...first, ...second), document(...first))).toEqual(['One', 'First'])
  })
})

it.each([
  'User has manually exited Plan Mode. Switching to YOLO mode (all tool calls auto-approved).',
  '<state_snapshot>They said one.</state_snapshot>',
  '<system-reminder>Be brief.</system-reminder>',
])('does not take context for the text of the user: %s', (text) => {
  expect(read(user('0', 1, text), ...first)).toEqual(['One', 'First'])
})
