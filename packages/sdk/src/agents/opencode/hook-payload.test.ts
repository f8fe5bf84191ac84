import { expect, it } from 'vitest'
import type { AgentRecord } from '../../events/read-record.ts'
import {
  firstFatalPayload,
  hookEventsAndState,
  readHookEvents,
  recordedPayloads,
} from '../hooks.test-data.ts'
import { hookReader } from './hook-payload.ts'

const recorded = recordedPayloads(import.meta.url)
const read = (...payloads: AgentRecord[]) => readHookEvents(hookReader, payloads)
const event = (type: string, properties: object): AgentRecord => ({
  hook_event_name: 'event',
  event: { type, properties },
})

it('reads every recorded payload and survives unknown ones', () => {
  const events = read(...recorded.map((line) => JSON.parse(line) as AgentRecord))
  expect(events).not.toContain(undefined)
  expect(firstFatalPayload(hookReader, recorded)).toBeUndefined()
})

const aborted = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
const call = { tool: 'bash', sessionID: 's', callID: 'c', args: { command: 'ls' } }

it.each<[AgentRecord, object[]]>([
  [
    event('session.updated', {
      info: { id: 's', directory: '/w', title: 'A title', model: { id: 'm', providerID: 'p' } },
    }),
    [{ type: 'session', cwd: '/w', title: 'A title', model: 'p/m' }],
  ],
  [
    event('session.created', { info: { title: 'New session - 2026-01-01T00:00:00.000Z' } }),
    [{ type: 'session' }],
  ],
  [event('message.updated', { info: { role: 'user' } }), [{ status: 'working' }]],
  [
    event('message.updated', {
      info: { id: 'm', role: 'assistant', time: { completed: 1 }, tokens: { input: 3 }, error: aborted },
    }),
    [
      { type: 'message', entity: 'm' },
      { type: 'usage', usage: { inputTokens: 3 } },
      { type: 'error', code: 'aborted' },
    ],
  ],
  [event('session.status', { status: { type: 'idle' } }), [{ status: 'idle' }]],
  [event('session.status', { status: { type: 'retry' } }), [{ status: 'retrying' }]],
  [event('session.idle', {}), [{ type: 'done', ok: true }]],
  [
    event('session.error', { error: { name: 'APIError', data: { message: 'x', statusCode: 401 } } }),
    [{ type: 'error', code: 'auth' }],
  ],
  [event('session.error', {}), [{ status: 'working' }]],
  [event('session.compacted', {}), [{ status: 'compacting' }]],
  [event('session.deleted', {}), [{ status: 'ended' }]],
  [event('permission.asked', { permission: 'edit' }), [{ status: 'waiting', detail: 'edit' }, {}]],
  [
    {
      hook_event_name: 'chat.message',
      output: { message: { id: 'm' }, parts: [{ type: 'text', text: 'Hi' }] },
    },
    [{ entity: 'm', role: 'user', content: [{ text: 'Hi' }] }],
  ],
  [{ hook_event_name: 'chat.message', output: { message: { id: 'm' } } }, [{ status: 'working' }]],
  [
    { hook_event_name: 'tool.execute.before', input: call, output: { args: { command: 'ls' } } },
    [{ type: 'tool_use', entity: 'c', name: 'Bash', input: { command: 'ls' } }],
  ],
  [
    { hook_event_name: 'tool.execute.after', input: call, output: { output: 'x', metadata: { exit: 1 } } },
    [{ type: 'tool_use' }, { type: 'tool_result', status: 'error' }],
  ],
])('%j', (payload, expected) => {
  expect(read(payload)[0]).toMatchObject(expected)
})

it.each<AgentRecord>([
  { hook_event_name: 'other' },
  { hook_event_name: 'event' },
  { hook_event_name: 'chat.message' },
  { hook_event_name: 'tool.execute.before' },
  event('message.updated', { info: { role: 'assistant' } }),
])('ignores %j', (payload) => {
  expect(read(payload)).toEqual([undefined])
})

it('reports a permission request by its id, and its answer', () => {
  const asked = event('permission.asked', {
    id: 'per_1',
    permission: 'bash',
    patterns: ['touch a'],
    tool: { callID: 'c' },
  })
  const replied = event('permission.replied', { requestID: 'per_1', reply: 'always' })
  const before = hookEventsAndState(hookReader, [asked])
  expect(before.events[0]).toMatchObject([
    { status: 'waiting', detail: 'bash' },
    { type: 'ask', entity: 'per_1', ask: { id: 'per_1', body: 'touch a', toolUse: 'c' } },
  ])
  const ask = before.events[0]?.[1]
  const digest = ask?.type === 'ask' ? ask.ask.digest : ''
  const { events } = hookEventsAndState(hookReader, [replied, replied], before.state)
  expect(events).toMatchObject([
    [{ type: 'answer', entity: 'per_1', answer: { ask: 'per_1', option: 'always', digest } }],
    [{ status: 'working' }],
  ])
})

it('skips events that belong to no conversation', () => {
  expect(read({ ...event('plugin.added', {}), session_id: undefined })).toEqual([[]])
})

it('assigns the work of sub-agents to their session', () => {
  const child = (payload: AgentRecord) => ({ ...payload, session_id: 'child' })
  const created = event('session.created', { info: { id: 'child', parentID: 's' } })
  const events = read(child(created), child({ hook_event_name: 'tool.execute.before', input: call })).flat()
  expect(events).toMatchObject([
    { session: 's', status: 'working' },
    { session: 's', status: 'working' },
  ])
})
