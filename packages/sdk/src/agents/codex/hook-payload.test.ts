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

it.each<[AgentRecord, object[]]>([
  [
    { hook_event_name: 'SessionStart', source: 'resume', model: 'm' },
    [{ type: 'session', model: 'm', resumed: true }],
  ],
  [{ hook_event_name: 'SessionEnd', reason: 'other' }, [{ status: 'ended' }]],
  [
    { hook_event_name: 'UserPromptSubmit', prompt: 'Hi', turn_id: 't' },
    [{ role: 'user', entity: 't/prompt' }],
  ],
  [{ hook_event_name: 'UserPromptSubmit', prompt: 'Hi' }, [{ role: 'user', entity: 'hooks/0.0' }]],
  [{ hook_event_name: 'PreToolUse', ...call }, [{ type: 'tool_use', entity: 'c', name: 'Bash' }]],
  [
    { hook_event_name: 'PostToolUse', ...call, tool_response: 'x' },
    [
      { type: 'tool_use', entity: 'c' },
      { type: 'tool_result', content: 'x' },
    ],
  ],
  [{ hook_event_name: 'PostToolUse', ...call, tool_response: { a: 1 } }, [{}, { content: '{"a":1}' }]],
  [
    { hook_event_name: 'Stop', last_assistant_message: 'Hello' },
    [
      { text: 'Hello', final: true },
      { type: 'done', ok: true },
    ],
  ],
  [{ hook_event_name: 'Stop', last_assistant_message: null }, [{ type: 'done' }]],
  [{ hook_event_name: 'Interrupt' }, [{ type: 'done', ok: false, stopReason: 'cancelled' }]],
  [
    { hook_event_name: 'PermissionRequest', ...call },
    [
      { status: 'waiting', detail: 'Bash' },
      { type: 'ask', ask: { title: 'Allow Bash?', body: 'ls', toolUse: 'c' } },
    ],
  ],
  [{ hook_event_name: 'PermissionRequest' }, [{ status: 'waiting' }]],
  [{ hook_event_name: 'PreCompact' }, [{ status: 'compacting' }]],
  [{ hook_event_name: 'SubagentStart' }, [{ status: 'working' }]],
])('%j', (payload, expected) => {
  expect(read(payload)[0]).toMatchObject(expected)
})

it.each(['Other', 'UserPromptSubmit', 'PreToolUse'])('does not read %s without its fields', (name) => {
  expect(read({ hook_event_name: name })).toEqual([undefined])
})

it('emits a call once if its start was read', () => {
  const before = { hook_event_name: 'PreToolUse', ...call }
  const after = { hook_event_name: 'PostToolUse', ...call, tool_response: 'x' }
  expect(read(before, after, after).map((events) => events?.length)).toEqual([1, 1, 2])
})

const notice = {
  session_id: undefined,
  type: 'agent-turn-complete',
  'thread-id': 's',
  'turn-id': 't',
  cwd: '/w',
  'input-messages': ['Hi'],
  'last-assistant-message': 'Hello',
}

it('reads the payload of notify as a whole turn', () => {
  expect(read(notice)[0]).toMatchObject([
    { session: 's', role: 'user', entity: 't/prompt', raw: { 'thread-id': 's' } },
    { session: 's', text: 'Hello', final: true },
    { session: 's', type: 'done', ok: true },
  ])
  expect(read({ ...notice, 'thread-id': undefined })).toEqual([undefined])
})

it('reads the prompt of the turn from the list that notify gets of all prompts', () => {
  // As Codex 0.169.0 reports the fourth turn of a session, after one that was refused and one that was interrupted.
  const prompts = ['SCENARIO: acp-allowed', 'SCENARIO: acp-denied', 'SCENARIO: acp-interrupted', 'SAY: again']
  expect(read({ ...notice, 'input-messages': prompts })[0]?.[0]).toMatchObject({
    role: 'user',
    content: [{ type: 'text', text: 'SAY: again' }],
  })
})

it('dates the prompt that notify gets at the end of a turn by the id of the turn', () => {
  const events = read({ ...notice, 'turn-id': '01a1f265-3761-7552-8d90-2ba1244694a2' })[0]
  expect(events?.map(({ at }) => at)).toEqual([1_795_068_082_017, 0, 0])
  expect(read(notice)[0]?.map(({ at }) => at)).toEqual([0, 0, 0])
})

it('emits a turn once with both hooks and notify', () => {
  const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Hi', turn_id: 't' }
  const stop = { hook_event_name: 'Stop', last_assistant_message: 'Hello', turn_id: 't' }
  const { events, state } = hookEventsAndState(hookReader, [prompt, stop, notice])
  expect(events[2]).toMatchObject([{ status: 'idle' }])
  expect(hookEventsAndState(hookReader, [notice], state).events[0]).toMatchObject([{ status: 'idle' }])
  expect(read(prompt, notice, stop).map((each) => each?.length)).toEqual([1, 2, 1])
})
