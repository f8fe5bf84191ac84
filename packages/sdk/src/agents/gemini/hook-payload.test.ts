import { callEntity, fold } from '@remora/protocol'
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

it('reads every recorded payload and survives unknown ones', () => {
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
])('%j', (payload, expected) => {
  expect(read(payload)[0]?.[0]).toMatchObject(expected)
})

const shell = (text: string) => ({ tool_name: 'run_shell_command', tool_response: { llmContent: text } })

it.each<[AgentRecord, object]>([
  [
    { tool_name: 'glob', tool_response: { error: { message: 'No', type: 'x' } } },
    { status: 'error', content: 'No' },
  ],
  [
    { tool_name: 'glob', tool_response: { error: 'No' } },
    { status: 'error', content: 'No' },
  ],
  [
    { tool_name: 'glob', tool_response: { error: '', llmContent: 'a' } },
    { status: 'success', content: 'a' },
  ],
  [{ tool_name: 'glob', tool_response: { error: { type: 'policy_violation' } } }, { status: 'denied' }],
  [
    { tool_name: 'glob', tool_response: { llmContent: [{ text: 'a' }, 'b'] } },
    { status: 'success', content: 'ab' },
  ],
  [shell('Output: oops\nExit Code: 3\nProcess Group PGID: 1'), { status: 'error' }],
  [shell('Output: Exit Code: 3\nProcess Group PGID: 1'), { status: 'success' }],
  [{ ...shell('Exit Code: 3'), tool_name: 'read_file' }, { status: 'success' }],
  [shell('Command was cancelled by user before it could complete.'), { status: 'cancelled' }],
  [
    shell('Command was automatically cancelled because it exceeded the timeout of 5.0 minutes'),
    { status: 'timeout' },
  ],
])('AfterTool %j reports the call too, unless its start was reported', (payload, expected) => {
  const after = { hook_event_name: 'AfterTool', ...payload }
  expect(read(after)[0]).toMatchObject([{ type: 'tool_use' }, expected])
  expect(read({ ...after, hook_event_name: 'BeforeTool' }, after, after)).toMatchObject([
    [{ type: 'tool_use' }],
    [expected],
    [{ type: 'tool_use' }, expected],
  ])
})

it('continues from the state of another reader, which contains no inputs', () => {
  const call = { tool_name: 'write_file', tool_input: { content: 'x'.repeat(50_000) } }
  const { state } = hookEventsAndState(hookReader, [{ hook_event_name: 'BeforeTool', ...call }])
  expect(JSON.stringify(state).length).toBeLessThan(1000)
  const after = { hook_event_name: 'AfterTool', ...call }
  expect(hookEventsAndState(hookReader, [after], state).events[0]).toMatchObject([{ type: 'tool_result' }])
})

it.each([
  [{ type: 'exec', title: 'Confirm Shell Command', command: 'ls' }, 'ls', 3],
  [{ type: 'edit', title: 'Confirm Edit', fileDiff: '+a' }, '+a', 4],
  [{ type: 'mcp', title: 'Confirm MCP Tool', toolName: 'echo' }, 'echo', 4],
])('asks for %j', (details, body, options) => {
  const [events] = read({
    hook_event_name: 'Notification',
    notification_type: 'ToolPermission',
    message: 'May I?',
    details,
  })
  expect(events).toMatchObject([
    { status: 'waiting', detail: 'May I?' },
    { type: 'ask', ask: { kind: 'permission', title: details.title, body } },
  ])
  expect(events?.[1]?.type === 'ask' && events[1].ask.options).toHaveLength(options)
})

it.each(['Other', 'BeforeAgent', 'BeforeTool', 'AfterTool'])(
  'does not know %s without what it is about',
  (name) => {
    expect(read({ hook_event_name: name })).toEqual([undefined])
  },
)

it('reports the answer at the end if no chunk arrived before', () => {
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
