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
  [{ hook_event_name: 'PostToolUse', ...call, tool_response: 'x' }, [{ type: 'tool_result', content: 'x' }]],
  [{ hook_event_name: 'PostToolUse', ...call, tool_response: { a: 1 } }, [{ content: '{"a":1}' }]],
  [
    { hook_event_name: 'Stop', last_assistant_message: 'Hello' },
    [
      { text: 'Hello', final: true },
      { type: 'done', ok: true },
    ],
  ],
  [{ hook_event_name: 'Stop', last_assistant_message: null }, [{ type: 'done' }]],
  [{ hook_event_name: 'Interrupt' }, [{ type: 'done', ok: false, stopReason: 'cancelled' }]],
  [{ hook_event_name: 'PermissionRequest', tool_name: 'Bash' }, [{ status: 'waiting', detail: 'Bash' }]],
  [{ hook_event_name: 'PreCompact' }, [{ status: 'compacting' }]],
  [{ hook_event_name: 'SubagentStart' }, [{ status: 'working' }]],
])('%j', (payload, expected) => {
  expect(read(payload)[0]).toMatchObject(expected)
})

it.each(['Other', 'UserPromptSubmit', 'PreToolUse'])('does not know %s without what it is about', (name) => {
  expect(read({ hook_event_name: name })).toEqual([undefined])
})
