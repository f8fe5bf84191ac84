import { fold } from '@remora/protocol'
import { expect, it } from 'vitest'
import { EventMaker } from '../events/event-maker.ts'
import { asString } from '../events/fields.ts'
import { createStreamReader } from './claude-stream.ts'

const createReader = createStreamReader({
  title: 'Other CLI',
  toClaude: (name, input) => ({ name: name === 'write_file' ? 'Write' : name, input }),
  toToolStatus: (isError, output) => (isError ? (output === 'No.' ? 'denied' : 'error') : 'success'),
  versionField: 'other_version',
  toMode: ({ approval }) => asString(approval),
  stateEvents: new Set(['goal_state']),
  failureText: /^\[Error: (.*)\]$/,
})

function read(...records: object[]) {
  const maker = new EventMaker({ agent: 'other', channel: 'headless', source: 'run' })
  const reader = createReader(maker, { prompt: 'Go.' })
  const events = records.flatMap((record) => reader.read(JSON.stringify({ session_id: 's', ...record })))
  return { events, reader }
}

const init = { type: 'system', subtype: 'init', other_version: '1.2.3', approval: 'plan', cwd: '/w' }
const call = { type: 'tool_use', id: 'c', name: 'write_file', input: { file_path: '/w/a' } }
const answer = (...content: object[]) => ({
  type: 'assistant',
  message: { id: 'm', role: 'assistant', content },
})

it('reads version and mode from the fields of the dialect', () => {
  expect(read(init).events).toMatchObject([
    { type: 'session', entity: 's', version: '1.2.3', cwd: '/w' },
    { type: 'status', status: 'mode', value: 'plan' },
    { type: 'message', role: 'user', content: [{ type: 'text', text: 'Go.' }] },
  ])
})

it('names tools and statuses as the dialect does', () => {
  const result = { type: 'tool_result', tool_use_id: 'c', is_error: true, content: 'No.' }
  const { events } = read(init, answer({ type: 'text', text: 'I write.' }, call), {
    type: 'user',
    message: { role: 'user', content: [result] },
  })
  expect(fold(events).flatMap(({ content }) => content)).toMatchObject([
    { type: 'text', text: 'Go.' },
    { type: 'text', text: 'I write.' },
    { type: 'tool_use', id: 'c', name: 'Write' },
    { type: 'tool_result', tool_use_id: 'c', status: 'denied', content: 'No.' },
  ])
})

it('names the CLI if the run ends without a result', () => {
  const { reader } = read(init)
  expect(reader.end({ code: 3, signal: null }, '').failure?.message).toBe(
    'Other CLI ended with code 3 before it gave a result',
  )
})

it('reads a text of the dialect that reports a failure as an error, and no state of the CLI as unknown', () => {
  const failure = '[Error: 401 Wrong key]'
  const { events, reader } = read(
    init,
    { type: 'stream_event', event: { type: 'goal_state' } },
    { type: 'stream_event', event: { type: 'message_start', message: { id: 'm' } } },
    {
      type: 'stream_event',
      event: { type: 'content_block_delta', delta: { type: 'text_delta', text: failure } },
    },
    answer({ type: 'text', text: failure }),
    { type: 'result', subtype: 'error_during_execution', is_error: true },
  )
  expect(events.map(({ type }) => type)).not.toContain('unknown')
  expect(events.map(({ type }) => type)).not.toContain('text')
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'error', code: 'auth', message: '401 Wrong key' }),
  )
  expect(reader.end({ code: 1, signal: null }, '').failure?.message).toBe('401 Wrong key')
})

it('joins the complete blocks of a streamed message that have ids of their own', () => {
  const event = (fields: object) => ({ type: 'stream_event', event: fields })
  const block = (id: string, content: object) => ({ type: 'assistant', message: { id, content: [content] } })
  const { events } = read(
    init,
    event({ type: 'message_start', message: { id: 'm' } }),
    block('m', { type: 'thinking', thinking: 'Hm.' }),
    event({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hel' } }),
    block('other', { type: 'text', text: 'Hello' }),
    event({ type: 'message_stop' }),
    block('next', { type: 'text', text: 'Bye' }),
  )
  const texts = fold(events).map(({ content }) =>
    content.flatMap((each) => (each.type === 'text' ? [each.text] : [])),
  )
  expect(texts).toEqual([['Go.'], ['Hello'], ['Bye']])
})
