import { callEntity, fold } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { AgentRecord } from '../../read-record.ts'
import { firstFatalPayload, hookEventsOf, recordedPayloads } from '../hooks.test-data.ts'
import { hookReader } from './hook-payload.ts'

const recorded = recordedPayloads(import.meta.url)
const read = (...payloads: AgentRecord[]) => hookEventsOf(hookReader, payloads)

it('knows every payload that was recorded, and survives what was not', () => {
  const events = read(...recorded.map((line) => JSON.parse(line) as AgentRecord))
  expect(events).not.toContain(undefined)
  expect(firstFatalPayload(hookReader, recorded)).toBeUndefined()
})

it.each<[AgentRecord, object]>([
  [
    { hook_event_name: 'SessionStart', source: 'resume', cwd: '/w', transcript_path: '/t' },
    { type: 'session', cwd: '/w', file: '/t', resumed: true },
  ],
  [
    { hook_event_name: 'SessionEnd', reason: 'exit' },
    { status: 'ended', detail: 'exit' },
  ],
  [
    { hook_event_name: 'Notification', message: 'May I?' },
    { status: 'waiting', detail: 'May I?' },
  ],
  [{ hook_event_name: 'PreCompress', trigger: 'manual' }, { status: 'compacting' }],
  [{ hook_event_name: 'PreCompress', trigger: 'auto' }, { status: 'working' }],
  [
    { hook_event_name: 'BeforeAgent', prompt: 'Hi', timestamp: '2026-01-01T00:00:00Z' },
    { role: 'user', at: Date.UTC(2026, 0, 1) },
  ],
  [
    { hook_event_name: 'BeforeTool', tool_name: 'glob' },
    { type: 'tool_use', name: 'Glob', entity: callEntity('glob', {}) },
  ],
  [
    { hook_event_name: 'AfterTool', tool_name: 'glob', tool_response: { error: { message: 'No' } } },
    { status: 'error', content: 'No' },
  ],
  [
    { hook_event_name: 'AfterTool', tool_name: 'glob', tool_response: { llmContent: [{ text: 'a' }, 'b'] } },
    { status: 'success', content: 'ab' },
  ],
])('%j', (payload, expected) => {
  expect(read(payload)[0]?.[0]).toMatchObject(expected)
})

it.each(['Other', 'BeforeAgent', 'BeforeTool', 'AfterTool'])(
  'does not know %s without what it is about',
  (name) => {
    expect(read({ hook_event_name: name })).toEqual([undefined])
  },
)

it('tells the answer at the end where the model was not heard before', () => {
  const before = { hook_event_name: 'BeforeAgent', prompt: 'Hi' }
  const after = { hook_event_name: 'AfterAgent', prompt_response: ' Hello  there ' }
  const alone = fold(
    read(before, { ...after, hook_event_name: 'BeforeModel' }, after).flatMap((each) => each ?? []),
  )
  expect(alone[1]?.content).toEqual([{ type: 'text', text: 'Hello  there' }])
  const heard = { hook_event_name: 'AfterModel', llm_response: { text: 'Hello' } }
  const both = fold(read(before, heard, heard, after).flatMap((each) => each ?? []))
  expect(both[1]?.content).toEqual([{ type: 'text', text: 'HelloHello' }])
})

it('keeps the sessions apart, and no copy of the whole conversation', () => {
  const chunk = (id: string, text: string) => ({
    hook_event_name: 'AfterModel',
    session_id: id,
    llm_request: { messages: [] },
    llm_response: { text },
  })
  const events = read(chunk('a', 'one'), chunk('b', 'x'), chunk('a', ' two')).flat()
  expect(events.map((event) => event?.session)).toEqual(['a', 'b', 'a'])
  expect(events[2]).toMatchObject({ entity: events[0]!.entity, offset: 3 })
  expect(events[0]?.raw).not.toHaveProperty('llm_request')
})
