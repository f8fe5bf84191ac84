import { describe, expect, it } from 'vitest'
import { classifyError } from '../../events/classify-error.ts'
import {
  getCalls,
  readEvents,
  failureIn,
  firstLostLine,
  readMessages,
  reading,
  recordings,
  scripted,
  getTexts,
} from '../streams.test-data.ts'
import { headless } from './headless.ts'

const all = recordings(import.meta.url)
const works = all.filter(({ scenario }) => !scenario.startsWith('fault-') && scenario !== 'retry-then-ok')

describe.each(works.map((each) => [each.scenario, each] as const))('%s', (scenario, recording) => {
  it('has the texts, calls and thoughts of the script', () => {
    const messages = readMessages(headless, recording)
    const expected = scripted(recording)
    expect(messages[0]).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: recording.script.prompt }],
    })
    expect(getTexts(messages)).toEqual(expected.words)
    const status = ['failing-shell', 'read-missing'].includes(scenario) ? 'error' : 'success'
    // Codex reads files with its shell.
    const names = expected.tools.map((name) => (name === 'Read' ? 'Bash' : name))
    expect(getCalls(messages)).toEqual(names.map((name) => [name, status]))
    const thoughts = messages.flatMap(({ content }) => content).filter((block) => block.type === 'thinking')
    // Several thoughts may be one item; its subject is the first.
    for (const subject of expected.thoughts)
      expect(thoughts.map(({ thinking }) => thinking).join('\n')).toContain(`**${subject}**`)
    expect(thoughts[0]?.subject).toBe(expected.thoughts[0])
  })

  it('succeeds with its tokens', () => {
    const reader = reading(headless)
    const events = readEvents(reader, recording.lines)
    expect(events[0]).toMatchObject({ type: 'session', entity: expect.any(String) })
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
    expect(events).toContainEqual(expect.objectContaining({ type: 'usage', scope: 'run' }))
    expect(reader.end({ code: 0, signal: null }, '')).toEqual({ ok: true, stopReason: 'end_turn' })
  })
})

it.each([
  ['fault-400', 'input'],
  ['fault-401', 'auth'],
  ['fault-403', 'permission'],
  ['fault-404', 'model_not_found'],
  ['fault-429', 'rate_limit'],
  ['fault-500', 'overloaded'],
  ['fault-503', 'overloaded'],
  ['retry-then-ok', 'overloaded'],
  ['fault-cut', 'network'],
  ['fault-quota', 'quota'],
  ['fault-safety', 'input'],
])('%s fails with %s', (scenario, code) => {
  const { events, ...end } = failureIn(headless, all, scenario)
  expect(end).toEqual({ ok: false, code })
  expect(events.filter((event) => event.type === 'error' && event.severity === 'error')).toEqual([])
})

describe('an item', () => {
  const item = (fields: object, type = 'item.completed') =>
    JSON.stringify({ type, item: { id: 'item_1', ...fields } })
  const read = (...lines: string[]) => readEvents(reading(headless), lines)

  it('of an MCP server has its name and result', () => {
    const call = { type: 'mcp_tool_call', server: 'docs', tool: 'find', arguments: { q: 1 } }
    const content = [
      { type: 'text', text: 'here' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
    ]
    const events = read(
      item({ ...call, status: 'in_progress' }, 'item.started'),
      item({ ...call, result: { content }, status: 'completed' }),
    )
    expect(events).toMatchObject([
      { type: 'tool_use', name: 'mcp__docs__find', input: { q: 1 }, native: { name: 'mcp_tool_call' } },
      {
        type: 'tool_result',
        status: 'success',
        content: [
          { type: 'text', text: 'here' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        ],
      },
    ])
    const error = { message: 'user rejected MCP tool call' }
    expect(read(item({ ...call, error, status: 'failed' })).at(-1)).toMatchObject({
      status: 'denied',
      content: error.message,
    })
  })

  it('that is a plan is emitted again at each update', () => {
    const plan = (completed: boolean) => ({ type: 'todo_list', items: [{ text: 'one', completed }] })
    const events = read(item(plan(false), 'item.started'), item(plan(true), 'item.updated'), item(plan(true)))
    expect(events.map((event) => event.type)).toEqual(['tool_use', 'tool_use', 'tool_use', 'tool_result'])
    expect(events[1]).toMatchObject({
      name: 'TodoWrite',
      input: { todos: [{ content: 'one', status: 'completed' }] },
    })
  })

  it('that is a command keeps its call, and has its status', () => {
    const call = { type: 'command_execution', command: "/bin/bash -lc 'make it'", aggregated_output: '' }
    const events = read(
      item({ ...call, exit_code: null, status: 'in_progress' }, 'item.started'),
      item({ ...call, aggregated_output: 'a' }, 'item.updated'),
      item({ ...call, aggregated_output: 'ab', exit_code: 2, status: 'failed' }),
    )
    expect(events).toMatchObject([
      { type: 'tool_use', entity: 'run/1/item_1', input: { command: 'make it' } },
      { type: 'status', status: 'working' },
      { type: 'tool_result', status: 'error', content: 'Exit code 2\nab' },
    ])
    expect(read(item({ ...call, status: 'declined' })).at(-1)).toMatchObject({ status: 'denied' })
  })

  it('of a new kind is kept', () => {
    expect(read(item({ type: 'hologram' }))).toMatchObject([
      { type: 'unknown', what: 'item.completed/hologram' },
    ])
  })
})

describe('a run', () => {
  const thread = '{"type":"thread.started","thread_id":"t"}'

  it('reports a retry', () => {
    const line = '{"type":"error","message":"Reconnecting... 2/5"}'
    expect(readEvents(reading(headless), [thread, line]).at(-1)).toMatchObject({
      status: 'retrying',
      value: { attempt: 2, maxRetries: 5 },
    })
  })

  it('has no usage after a resume, since the tokens are those of the thread', () => {
    const line = '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":1}}'
    const events = readEvents(reading(headless, { resume: 't' }), [thread, line])
    expect(events[0]).toMatchObject({ type: 'session', resumed: true })
    expect(events.at(-1)).toMatchObject({ type: 'status', value: { sessionUsage: { inputTokens: 5 } } })
  })

  it('reports calls that the sandbox refused, which are only in stderr', () => {
    const reader = reading(headless)
    readEvents(reader, [thread, '{"type":"turn.completed","usage":{}}'])
    const line =
      '2026-01-01T00:00:00Z ERROR codex_core::tools::router: error=patch rejected: read-only sandbox'
    expect(reader.readError!(line)).toMatchObject([
      {
        type: 'error',
        severity: 'warning',
        code: 'permission',
        message: 'patch rejected: read-only sandbox',
      },
    ])
    expect(reader.readError!('something else')).toEqual([])
    expect(reader.end({ code: 0, signal: null }, line)).toEqual({
      ok: true,
      stopReason: 'end_turn',
      permissionDenials: [{ message: 'patch rejected: read-only sandbox' }],
    })
  })

  it('that did not start has its reason from stderr', () => {
    const stderr =
      'WARNING: x\nError: thread/resume failed: no rollout found for thread id t\n\nStack backtrace:\n 0: <unknown>\n'
    const { failure } = reading(headless).end({ code: 1, signal: null }, stderr)
    expect(failure?.message).toBe('thread/resume failed: no rollout found for thread id t')
    expect(classifyError(failure!).code).toBe('input')
    expect(reading(headless).end({ code: 1, signal: null }, '').failure?.message).toContain('code 1')
  })
})

it('never throws and loses no line of a damaged stream', () => {
  expect(
    firstLostLine(
      headless,
      all.flatMap(({ lines }) => lines),
    ),
  ).toBeUndefined()
})
