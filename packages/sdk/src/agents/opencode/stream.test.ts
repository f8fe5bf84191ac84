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
const works = all.filter(({ scenario }) => !scenario.startsWith('fault-'))

describe.each(works.map((each) => [each.scenario, each] as const))('%s', (scenario, recording) => {
  it('reads the messages and calls of the scenario', () => {
    const messages = readMessages(headless, recording)
    const expected = scripted(recording)
    expect(messages[0]).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: recording.script.prompt }],
    })
    expect(getTexts(messages)).toEqual(expected.words)
    const status = ['failing-shell', 'read-missing'].includes(scenario) ? 'error' : 'success'
    expect(getCalls(messages)).toEqual(expected.tools.map((name) => [name, status]))
  })

  it('succeeds with the tokens of every step', () => {
    const reader = reading(headless)
    const events = readEvents(reader, recording.lines)
    expect(events[0]).toMatchObject({ type: 'session', entity: expect.stringMatching(/^ses_/) })
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
    const steps = events.filter((event) => event.type === 'usage')
    expect(steps.length).toBeGreaterThan(0)
    expect(reader.end({ code: 0, signal: null }, '')).toEqual({
      ok: true,
      stopReason: 'end_turn',
      turns: steps.length,
      costUsd: 0,
    })
  })
})

it.each([
  ['fault-400', 'input'],
  ['fault-401', 'auth'],
  ['fault-403', 'permission'],
  ['fault-404', 'model_not_found'],
  ['fault-safety', 'input'],
])('%s fails with %s', (scenario, code) => {
  const { events, ...end } = failureIn(headless, all, scenario)
  expect(end).toEqual({ ok: false, code })
  expect(events).toContainEqual(expect.objectContaining({ type: 'error', severity: 'warning' }))
})

describe('a call', () => {
  const call = (tool: string, state: object) =>
    JSON.stringify({
      type: 'tool_use',
      sessionID: 's',
      part: { id: 'p', messageID: 'm', callID: 'c', tool, state },
    })
  const read = (line: string, request = {}) => readEvents(reading(headless, request), [line]).slice(2)

  it.each<[string, string, object]>([
    [
      'denied',
      'write',
      { status: 'error', error: 'The user rejected permission to use this specific tool call.' },
    ],
    [
      'denied',
      'invalid',
      { status: 'completed', input: { tool: 'write' }, output: 'call unavailable tool write' },
    ],
    ['error', 'invalid', { status: 'completed', input: { tool: 'write' }, output: 'bad arguments' }],
    [
      'error',
      'invalid',
      { status: 'completed', input: { tool: 'ls' }, output: "Model tried to call unavailable tool 'ls'." },
    ],
    ['cancelled', 'bash', { status: 'error', error: 'Tool execution aborted' }],
    ['cancelled', 'bash', { status: 'error', error: 'x', metadata: { interrupted: true } }],
    ['denied', 'question', { status: 'error', error: 'The user dismissed this question' }],
    ['error', 'read', { status: 'error', error: 'File not found: /cancelled.ts' }],
    ['error', 'bash', { status: 'completed', output: 'x', metadata: { exit: 2 } }],
    [
      'timeout',
      'bash',
      { status: 'completed', output: 'bash tool terminated command after exceeding timeout 1 ms' },
    ],
    ['success', 'bash', { status: 'completed', output: 'x', metadata: { exit: 0 } }],
  ])('is %s: %s %j', (status, tool, state) => {
    expect(read(call(tool, state))).toMatchObject([{ type: 'tool_use' }, { type: 'tool_result', status }])
  })

  it('is listed as denied under the name of the requested tool', () => {
    const reader = reading(headless)
    const error = "Model tried to call unavailable tool 'write'."
    const events = readEvents(reader, [call('invalid', { status: 'error', error, input: { tool: 'write' } })])
    expect(events).toContainEqual(
      expect.objectContaining({ name: 'Write', native: { name: 'invalid', input: { tool: 'write' } } }),
    )
    expect(reader.end({ code: 0, signal: null }, '').permissionDenials).toEqual([
      { tool_name: 'Write', tool_use_id: 'c', tool_input: { tool: 'write' } },
    ])
  })

  it('of an MCP server of the run is named by the server', () => {
    const mcpServers = { docs: { command: 'x' } }
    expect(read(call('docs_find', { status: 'completed' }), { mcpServers })[0]).toMatchObject({
      name: 'mcp__docs__find',
    })
  })

  it('returns files', () => {
    const attachments = [
      { mime: 'image/png', url: 'data:image/png;base64,AA==' },
      { mime: 'application/pdf', url: 'file:///a.pdf' },
      {},
    ]
    expect(read(call('read', { status: 'completed', output: 'x', attachments }))[1]).toMatchObject({
      content: [
        { type: 'text', text: 'x' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        { type: 'document', source: { type: 'url', url: 'file:///a.pdf' } },
      ],
    })
  })
})

describe('a run', () => {
  it('counts the cache as input and the reasoning as output', () => {
    const tokens = { total: 40, input: 10, output: 5, reasoning: 2, cache: { read: 20, write: 3 } }
    const part = { id: 'p', messageID: 'm', reason: 'length', tokens, cost: 0.5 }
    const reader = reading(headless, { model: 'a/b', resume: 's' })
    const events = readEvents(reader, [JSON.stringify({ type: 'step_finish', sessionID: 's', part })])
    expect(events[0]).toMatchObject({ type: 'session', model: 'a/b', resumed: true })
    expect(events.at(-1)).toMatchObject({
      costUsd: 0.5,
      usage: { inputTokens: 33, outputTokens: 7, totalTokens: 40, cachedTokens: 20, thoughtTokens: 2 },
    })
    expect(reader.end({ code: 0, signal: null }, '')).toMatchObject({
      stopReason: 'max_tokens',
      costUsd: 0.5,
    })
  })

  it('reports a retry that only its log shows', () => {
    const line =
      'timestamp=2026-01-01T00:00:00Z level=ERROR run=1 message="stream error" session.id=ses_1 small=false error.error="AI_APICallError: Rate limit \\"x\\" reached."'
    const reader = reading(headless)
    expect(reader.readError!(line)).toMatchObject([
      { type: 'session', entity: 'ses_1' },
      { type: 'message', role: 'user' },
      { status: 'retrying', value: { attempt: 1 } },
    ])
    expect(reader.readError!(line.replace(/Rate.*reached/, 'Incorrect API key'))).toEqual([])
    expect(reader.readError!(line)).toMatchObject([
      { status: 'retrying', detail: 'AI_APICallError: Rate limit \\"x\\" reached.', value: { attempt: 3 } },
    ])
    expect(reader.readError!(line.replace('small=false', 'small=true'))).toEqual([])
    expect(reader.readError!('! permission requested: edit (a); auto-rejecting')).toEqual([])
  })

  it('that did not start is explained by standard error', () => {
    const stderr = '\u001B[91m\u001B[1mError: \u001B[0mSession not found\ntimestamp=1 level=ERROR message=x\n'
    const { failure } = reading(headless).end({ code: 1, signal: null }, stderr)
    expect(failure?.message).toBe('Session not found')
    expect(classifyError(failure!).code).toBe('input')
    expect(reading(headless).end({ code: 0, signal: null }, '')).toMatchObject({ ok: false })
  })
})

it('never throws and loses no line', () => {
  expect(
    firstLostLine(
      headless,
      all.flatMap(({ lines }) => lines),
    ),
  ).toBeUndefined()
})

it('ends after several consecutive failed requests, because OpenCode would retry forever', () => {
  const failed =
    'timestamp=x level=ERROR message="stream error" session.id=ses_1 error.error="AI_APICallError: Too Many Requests"'
  const reader = reading(headless)
  const finished = JSON.stringify({ type: 'step_finish', sessionID: 'ses_1', part: { reason: 'stop' } })
  for (let attempt = 1; attempt <= 2; attempt++) reader.readError!(failed)
  expect(reader.findStopReason!()).toBeUndefined()
  reader.read(finished)
  for (let attempt = 1; attempt <= 3; attempt++) reader.readError!(failed)
  expect(classifyError(reader.findStopReason!()!).code).toBe('rate_limit')
})

it('counts a step that starts repeatedly as failed requests', () => {
  const reader = reading(headless)
  const begins = JSON.stringify({
    type: 'step_start',
    sessionID: 'ses_1',
    part: { id: 'p', messageID: 'msg_1' },
  })
  for (let step = 1; step <= 3; step++) reader.read(begins)
  expect(reader.findStopReason!()).toBeUndefined()
  reader.read(begins)
  expect(classifyError(reader.findStopReason!()!).code).toBe('network')
})
