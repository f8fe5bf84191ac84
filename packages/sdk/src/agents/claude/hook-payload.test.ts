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

it('reads every recorded payload, and does not throw for damaged ones', () => {
  const events = read(...recorded.map((line) => JSON.parse(line) as AgentRecord))
  expect(events).not.toContain(undefined)
  expect(firstFatalPayload(hookReader, recorded)).toBeUndefined()
})

const call = { tool_use_id: 'c', tool_name: 'Bash', tool_input: { command: 'ls' } }

it.each<[AgentRecord, object]>([
  [
    { hook_event_name: 'SessionStart', source: 'startup', cwd: '/w' },
    { type: 'session', entity: 's', cwd: '/w' },
  ],
  [{ hook_event_name: 'SessionEnd', reason: 'other' }, { status: 'ended' }],
  [
    { hook_event_name: 'UserPromptSubmit', prompt: 'Hi', prompt_id: 'p' },
    { role: 'user', entity: 'p/prompt' },
  ],
  [
    { hook_event_name: 'Notification', notification_type: 'permission_prompt', message: 'm' },
    { status: 'waiting' },
  ],
  [{ hook_event_name: 'Notification', notification_type: 'idle_prompt' }, { status: 'idle' }],
  [
    { hook_event_name: 'PermissionRequest', tool_name: 'Bash' },
    { status: 'waiting', detail: 'Bash' },
  ],
  [{ hook_event_name: 'PermissionRequest' }, { status: 'waiting' }],
  [{ hook_event_name: 'PreCompact' }, { status: 'compacting' }],
  [{ hook_event_name: 'FileChanged' }, { status: 'working', detail: 'FileChanged' }],
  [
    { hook_event_name: 'PreToolUse', ...call },
    { type: 'tool_use', entity: 'c', name: 'Bash' },
  ],
  [{ hook_event_name: 'PreToolUse', ...call, agent_id: 'a' }, { status: 'working' }],
  [{ hook_event_name: 'PostToolBatch', tool_calls: [call] }, { status: 'working' }],
])('%j', (payload, expected) => {
  expect(read(payload)[0]?.[0]).toMatchObject(expected)
})

it.each<[AgentRecord, object]>([
  [
    { hook_event_name: 'PostToolUse', ...call, tool_response: { stdout: 'a', stderr: 'b' } },
    { status: 'success', content: 'a\nb' },
  ],
  [
    { hook_event_name: 'PostToolUse', ...call, tool_response: { interrupted: true } },
    { status: 'cancelled' },
  ],
  [
    { hook_event_name: 'PostToolUseFailure', ...call, error: 'Exit code 1' },
    { status: 'error', content: 'Exit code 1' },
  ],
  [{ hook_event_name: 'PostToolUseFailure', ...call, is_interrupt: true }, { status: 'cancelled' }],
  [
    { hook_event_name: 'PermissionDenied', ...call, reason: 'No' },
    { status: 'denied', content: 'No' },
  ],
  [
    { hook_event_name: 'PostToolUse', ...call, tool_use_id: undefined },
    { status: 'success', entity: callEntity('Bash', { command: 'ls' }) },
  ],
])('%j includes the call, unless its start was read', (payload, expected) => {
  const { entity } = { entity: 'c', ...expected }
  expect(read(payload)[0]).toMatchObject([{ type: 'tool_use', entity, name: 'Bash' }, expected])
  const begun = { ...payload, hook_event_name: 'PreToolUse' }
  expect(read(begun, payload)[1]).toMatchObject([expected])
})

it('asks the user, with an option for the suggested rule', () => {
  const asking = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'rm a' } }
  const [events] = read({ ...asking, permission_suggestions: [{ type: 'addRules' }] })
  expect(events).toMatchObject([
    { status: 'waiting' },
    { type: 'ask', entity: 'hooks/0.1', ask: { id: 'hooks/0.1', title: 'Allow Bash?', body: 'rm a' } },
  ])
  const effects = (payload: AgentRecord) =>
    read(payload)[0]?.flatMap((event) => (event.type === 'ask' ? event.ask.options : []))
  expect(effects(asking)).toMatchObject([{ effect: 'allow' }, { effect: 'deny' }])
  expect(events?.[1]).toMatchObject({ ask: { options: [{}, { effect: 'allow_always' }, {}] } })
})

it('continues from the state of another reader, and stores little', () => {
  const displayed = shown('x'.repeat(50_000), false)
  const done = { hook_event_name: 'PostToolUse', ...call, tool_response: { stdout: 'y'.repeat(50_000) } }
  const { state } = hookEventsAndState(hookReader, [
    prompt,
    { ...done, hook_event_name: 'PreToolUse' },
    displayed,
    done,
  ])
  expect(JSON.stringify(state).length).toBeLessThan(1000)
  const { events } = hookEventsAndState(
    hookReader,
    [shown('!', true), { ...call, hook_event_name: 'PostToolUse' }],
    state,
  )
  expect(events.flat()).toMatchObject([
    { type: 'text', offset: 50_000 },
    { type: 'tool_use' },
    { type: 'tool_result' },
  ])
  const stop = { hook_event_name: 'Stop', last_assistant_message: `${'x'.repeat(50_000)}!` }
  const after = hookEventsAndState(hookReader, [shown('!', true), stop], state)
  expect(after.events[1]).toMatchObject([{ type: 'done' }])
})

it.each(['Other', 'UserPromptSubmit', 'MessageDisplay', 'PreToolUse', 'PostToolUse'])(
  'does not read %s without its fields',
  (name) => {
    expect(read({ hook_event_name: name })).toEqual([undefined])
  },
)

const messages = (...payloads: AgentRecord[]) => fold(read(...payloads).flatMap((events) => events ?? []))
const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Hi' }
const shown = (delta: string, final: boolean) => ({
  hook_event_name: 'MessageDisplay',
  message_id: 'm',
  delta,
  final,
})

it('replaces the outputs by those that the model received', () => {
  const done = { hook_event_name: 'PostToolUse', ...call, tool_response: { stdout: 'seen' } }
  const batch = { hook_event_name: 'PostToolBatch', tool_calls: [{ ...call, tool_response: 'given' }] }
  const [, answer] = messages(prompt, { hook_event_name: 'PreToolUse', ...call }, done, batch)
  expect(answer?.content[1]).toMatchObject({
    status: 'success',
    content: 'given',
    display: { stdout: 'seen' },
  })
})

it('emits the last message once, displayed or not', () => {
  const stop = { hook_event_name: 'Stop', last_assistant_message: 'Hello' }
  expect(messages(prompt, stop)[1]?.content).toEqual([{ type: 'text', text: 'Hello' }])
  const both = messages(prompt, shown('Hel', false), shown('lo', true), stop)
  expect(both[1]?.content).toEqual([{ type: 'text', text: 'Hello' }])
})

it('removes an error that was displayed like an answer', () => {
  const failed = { hook_event_name: 'StopFailure', error: 'authentication_failed' }
  expect(
    messages(prompt, shown('Not logged in', true), { ...failed, last_assistant_message: 'Not logged in' }),
  ).toMatchObject([{ role: 'user' }, { role: 'system', content: [{ text: 'Not logged in' }] }])
  expect(messages(prompt, failed)[1]).toMatchObject({ content: [{ text: 'authentication_failed' }] })
})
