import { type Message, ServerMessage } from '@remora/protocol'
import { expect, it } from 'vitest'
import { MessageFrames } from './message-frames.ts'

const makeMessage = (id: string): Message => ({
  id,
  role: 'assistant',
  content: [{ type: 'text', text: `Answer ${id}` }],
  tool: 'gemini',
  timestamp: 0,
  _original: [],
})
const cursor = { epoch: 'e', seq: 7 }
const range = { id: 'f', from: 1, to: 3, isWhole: false }

it('encodes a frame once for all followers of a session', () => {
  const frames = new MessageFrames()
  frames.reset({ offset: 0, messages: ['a', 'b', 'c'].map(makeMessage) })
  const frame = frames.get(range, cursor)
  expect(frames.get({ ...range }, { ...cursor })).toBe(frame)
  expect(frames.get({ ...range, id: 'g' }, cursor)).not.toBe(frame)
  expect(frames.get(range, { ...cursor, seq: 8 })).not.toBe(frame)
  const message = ServerMessage.parse(JSON.parse(frame.toString()))
  expect(message).toMatchObject({ type: 'messages', id: 'f', from: 1, total: 3, cursor: 'e:7' })
  expect(message).toMatchObject({ messages: [{ id: 'b' }, { id: 'c' }] })
})

it('encodes changed messages again', () => {
  const frames = new MessageFrames()
  frames.reset({ offset: 0, messages: [makeMessage('a')] })
  const frame = frames.get({ ...range, from: 0, isWhole: true }, cursor)
  frames.reset({ offset: 0, messages: [makeMessage('b')] })
  expect(JSON.parse(frames.get({ ...range, from: 0, isWhole: true }, cursor).toString())).toMatchObject({
    messages: [{ id: 'b' }],
    whole: true,
  })
  expect(frame.toString()).toContain('Answer a')
})
