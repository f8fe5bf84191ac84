import { Event } from '@remora/protocol'
import { expect, it } from 'vitest'
import { agents, findAgent } from '../../agents/registry.ts'
import { readInvocation } from './invocation.ts'
import { PayloadReader } from './read-payload.ts'

const at = Date.UTC(2026, 0, 1)
const reader = (agent = 'gemini', state?: unknown) => new PayloadReader(findAgent(agent)!, state)
const place = (key: string) => ({ key, at })

function read(from: PayloadReader, payload: object, key = 'gemini.7.0.99') {
  const record = from.read(JSON.stringify(payload), place(key))
  for (const event of record?.events ?? []) Event.parse(event)
  return record
}

const call = { hook_event_name: 'BeforeTool', session_id: 's', tool_name: 'glob', cwd: '/w' }

it.each(agents().flatMap(({ id, hooks }) => (hooks ? [id] : [])))(
  'believes another recorder that a call of %s failed',
  (agent) => {
    const payload = { tool_name: 'x', tool_input: { a: 1 }, session_id: 's', cwd: '/w', error: 'boom' }
    const { events } = read(reader(agent), payload)!
    expect(events.map(({ type }) => type)).toEqual(['session', 'tool_use', 'tool_result'])
    expect(events[2]).toMatchObject({ session: 's', status: 'error', content: 'boom' })
    expect(readInvocation(findAgent(agent)!, payload)).toMatchObject({ tool: 'x', error: 'boom', extra: {} })
  },
)

it('reports the session with its first payload, unless that payload does', () => {
  const from = reader()
  const record = read(from, { ...call, transcript_path: '/t' })
  expect(record?.events).toMatchObject([
    {
      type: 'session',
      session: 's',
      entity: 's',
      cwd: '/w',
      file: '/t',
      at,
      origin: { key: 'gemini.7.0.99.1' },
    },
    {
      type: 'tool_use',
      session: 's',
      at,
      origin: { channel: 'hooks', source: 'spool', key: 'gemini.7.0.99.0' },
    },
  ])
  expect(record?.raw).toBe(JSON.stringify({ ...call, transcript_path: '/t' }))
  expect(read(from, call)?.events).toMatchObject([{ type: 'tool_use' }])
  const start = { hook_event_name: 'SessionStart', session_id: 'other' }
  expect(read(from, start)?.events).toMatchObject([{ type: 'session', session: 'other' }])
})

it('continues from the state of another reader', () => {
  const first = reader()
  read(first, call)
  const state: unknown = JSON.parse(JSON.stringify(first.state()))
  const after = { ...call, hook_event_name: 'AfterTool' }
  expect(read(reader('gemini', state), after)?.events).toMatchObject([{ type: 'tool_result' }])
  expect(read(reader(), after)?.events).toMatchObject([
    { type: 'session' },
    { type: 'tool_use' },
    { type: 'tool_result' },
  ])
  expect(() => reader('gemini', { reader: 7, told: [7] })).not.toThrow()
})

it('keeps unknown payloads in their session', () => {
  const { events, raw } = read(reader(), { hook_event_name: 'Novel', session_id: 's', cwd: '/w' })!
  expect(events).toMatchObject([
    { type: 'session', cwd: '/w' },
    { type: 'unknown', session: 's', what: 'Novel', entity: 'spool/gemini.7.0.99.0' },
  ])
  expect(raw).toContain('Novel')
  const nowhere = read(reader(), { a: 1 })?.events.at(-1)
  expect(nowhere).toMatchObject({
    type: 'unknown',
    what: 'payload',
    session: expect.stringMatching(/^gemini-/),
  })
})

it('uses the time in the payload if it has one', () => {
  const events = read(reader(), { ...call, timestamp: '2026-02-01T00:00:00Z' })?.events
  expect(events?.map((event) => event.at)).toEqual([Date.UTC(2026, 1, 1), Date.UTC(2026, 1, 1)])
})

it('does not store the whole conversation with each request', () => {
  const request = { hook_event_name: 'BeforeModel', session_id: 's', llm_request: { messages: ['long'] } }
  const record = read(reader(), request)
  expect(record?.raw).toBeUndefined()
  expect(JSON.stringify(record)).not.toContain('long')
})

it('adds fields that other recorders omit', () => {
  const { events } = read(reader('claude'), { tool_name: 'Bash', cwd: '/w', error: 'Exit code 1' })!
  expect(events).toMatchObject([
    { type: 'session', cwd: '/w' },
    { type: 'tool_use', name: 'Bash' },
    { type: 'tool_result', status: 'error' },
  ])
  expect(new Set(events.map(({ session }) => session)).size).toBe(1)
})

it('does not mix up sessions', () => {
  const from = reader('opencode')
  const idle = { hook_event_name: 'event', event: { type: 'session.idle', properties: {} } }
  expect(read(from, { ...idle, session_id: 's' })?.events.at(-1)).toMatchObject({
    type: 'done',
    session: 's',
  })
  expect(read(from, idle)?.events).toEqual([])
})

it.each(['', '{"a":', '7', '[]', 'null', '"x"', 'oops'])('reports %j as damaged', (text) => {
  expect(reader().read(text, place('k'))).toBeUndefined()
})
