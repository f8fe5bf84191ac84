import type { Command, Message } from '@remora/protocol'
import { expect, it } from 'vitest'
import { listWaitingPrompts, withText } from './waiting-prompts.ts'

const here = { agent: 'gemini', session: 's' }
const command = (id: string, at: number, more: Partial<Command> = {}): Command => ({
  id,
  client: 'c',
  target: here,
  body: { kind: 'prompt', content: [{ type: 'text', text: id }] },
  state: 'queued',
  at,
  ...more,
})
const unsent = (id: string) => ({
  id,
  target: here,
  body: { kind: 'prompt' as const, content: [{ type: 'text' as const, text: id }] },
  at: 9,
})
const message = (text: string, timestamp: number): Message => ({
  id: text,
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp,
  tool: 'gemini',
  _original: [],
})

it('keeps the order, with unsent prompts last', () => {
  const commands = [
    command('b', 2),
    command('a', 1, { state: 'sent' }),
    command('elsewhere', 3, { target: { agent: 'claude', session: 's' } }),
    command('over', 4, { state: 'done' }),
    command('mode', 5, { body: { kind: 'mode', mode: 'plan' } }),
    command('early', 6, { target: { agent: 'gemini', session: 'l-1' } }),
  ]
  const waiting = listWaitingPrompts(
    [here, { agent: 'gemini', session: 'l-1' }],
    commands,
    [unsent('z'), unsent('b')],
    [],
  )
  // The server has `b` already, though its response has not arrived.
  expect(waiting.map(({ text, state }) => [text, state])).toEqual([
    ['a', 'sent'],
    ['b', 'queued'],
    ['early', 'queued'],
    ['z', 'unsent'],
  ])
})

it('leaves out prompts that are in the conversation, but not older equal ones', () => {
  const sent = [command('go on', 100_000, { state: 'sent' })]
  expect(listWaitingPrompts([here], sent, [], [message('go  on', 100_500)])).toEqual([])
  expect(listWaitingPrompts([here], sent, [], [message('go on', 10_000)])).toHaveLength(1)
})

it('replaces the text and keeps the files', () => {
  const image = {
    type: 'image' as const,
    source: { type: 'file' as const, media_type: 'image/png', path: '/x' },
  }
  expect(withText([image, { type: 'text', text: 'a' }], 'b')).toEqual([image, { type: 'text', text: 'b' }])
  expect(withText([{ type: 'text', text: 'a' }], ' ')).toEqual([])
})
