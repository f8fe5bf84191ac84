import { readFileSync } from 'node:fs'
import { callEntity } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { AgentRecord } from '../../events/read-record.ts'
import { firstFatalPayload, hookEventsAndState, readHookEvents } from '../hooks.test-data.ts'
import { hookReader } from './hook-payload.ts'

const documented = readFileSync(new URL('fixtures/documented/hooks.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
const here = (payload: AgentRecord) => ({ session_id: undefined, cwd: '/w', ...payload })
const read = (...payloads: AgentRecord[]) => readHookEvents(hookReader, payloads.map(here))
const call = { tool_name: 'execute_bash', tool_input: { command: 'ls' } }

it('reads every documented payload and survives unknown ones', () => {
  const events = read(...documented.map((line) => JSON.parse(line) as AgentRecord))
  expect(events).not.toContain(undefined)
  const types = events.flat().map((event) => event?.type)
  expect(types.join(' ')).toBe(
    'session message tool_use tool_result tool_use tool_result tool_use tool_use tool_result done',
  )
  expect(firstFatalPayload(hookReader, documented)).toBeUndefined()
})

it('creates one session for each folder', () => {
  const [one, other, again] = ['/a', '/b', '/a'].map(
    (cwd) => read({ hook_event_name: 'agentSpawn', cwd })[0]?.[0],
  )
  expect(one).toMatchObject({ type: 'session', cwd: '/a', entity: one!.session })
  expect(again?.session).toBe(one?.session)
  expect(other?.session).not.toBe(one?.session)
})

it.each<[unknown, object]>([
  [
    { success: true, result: ['a', 'b'] },
    { status: 'success', content: 'a\nb' },
  ],
  [
    { success: false, result: ['No such file'] },
    { status: 'error', content: 'No such file' },
  ],
  [
    { success: false, error: 'broken' },
    { status: 'error', content: 'broken' },
  ],
  [{ success: true, result: [{ exit_status: '2', stdout: '' }] }, { status: 'error' }],
  [{ success: true, result: [{ exit_status: '0', stdout: 'x' }] }, { status: 'success' }],
  [undefined, { status: 'success' }],
])('reads the response %j', (response, expected) => {
  const after = { hook_event_name: 'postToolUse', ...call, tool_response: response }
  const entity = callEntity('execute_bash', { command: 'ls' })
  expect(read(after)[0]).toMatchObject([
    { type: 'tool_use', entity, name: 'Bash' },
    { ...expected, entity },
  ])
  const before = hookEventsAndState(hookReader, [here({ hook_event_name: 'preToolUse', ...call })])
  expect(hookEventsAndState(hookReader, [here(after)], before.state).events[0]).toMatchObject([expected])
})

it.each(['other', 'userPromptSubmit', 'preToolUse'])('ignores %s without its subject', (name) => {
  expect(read({ hook_event_name: name })).toEqual([undefined])
})
