import { expect, it } from 'vitest'
import { EventMaker } from '../events/event-maker.ts'
import type { AgentRecord } from '../events/read-record.ts'
import { createHookReader } from './claude-hooks.ts'

const createReader = createHookReader({
  title: 'Other CLI',
  toClaude: (name, input) => ({ name: name === 'shell' ? 'Bash' : name, input }),
  toToolStatus: (isError) => (isError ? 'error' : 'success'),
  working: new Set(['GoalChanged']),
  toClaudePayload: (payload) => ({ ...payload, tool_use_id: payload['call'] }),
})

function read(...payloads: AgentRecord[]) {
  const reader = createReader(new EventMaker({ agent: 'other', channel: 'hooks', source: 'hooks' }))
  return payloads.flatMap((payload) => reader.read({ session_id: 's', ...payload }) ?? [])
}

const call = { call: 'c', tool_name: 'shell', tool_input: { command: 'ls' } }

it('reads a call by the fields and names of the dialect, and keeps the payload as it was', () => {
  const payload = { session_id: 's', hook_event_name: 'PreToolUse', ...call }
  expect(read(payload)).toMatchObject([
    { type: 'tool_use', entity: 'c', name: 'Bash', native: { name: 'shell' }, raw: payload },
  ])
})

it('reports a call once if its start was seen, and with its result if not', () => {
  const end = { hook_event_name: 'PostToolUse', ...call, tool_response: { stdout: 'a.txt' } }
  const types = (...payloads: AgentRecord[]) => read(...payloads).map(({ type }) => type)
  expect(types({ hook_event_name: 'PreToolUse', ...call }, end)).toEqual(['tool_use', 'tool_result'])
  expect(types(end)).toEqual(['tool_use', 'tool_result'])
})

it('takes the events of the dialect for work, and no others', () => {
  expect(read({ hook_event_name: 'GoalChanged' })).toMatchObject([{ type: 'status', status: 'working' }])
  expect(read({ hook_event_name: 'FileChanged' })).toEqual([])
})

it('offers to allow always only if the CLI suggests a rule', () => {
  const ask = (more: object) => read({ hook_event_name: 'PermissionRequest', ...call, ...more })[1]
  expect(ask({})).toMatchObject({ ask: { options: [{ id: 'yes' }, { id: 'no' }] } })
  expect(ask({ permission_suggestions: [{}] })).toMatchObject({
    ask: { title: 'Allow shell?', body: 'ls', options: [{ id: 'yes' }, { id: 'always' }, { id: 'no' }] },
  })
})
