import { fold } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
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
import { classifyError } from '../../events/classify-error.ts'
import { headless } from './headless.ts'

const all = recordings(import.meta.url)
const works = all.filter(({ scenario }) => !scenario.startsWith('fault-'))

describe.each(works.map((each) => [each.version, each.scenario, each] as const))(
  '%s %s',
  (_, scenario, recording) => {
    it('has the texts, calls and thoughts of the script', () => {
      const messages = readMessages(headless, recording)
      const expected = scripted(recording)
      expect(messages[0]).toMatchObject({
        role: 'user',
        content: [{ type: 'text', text: recording.script.prompt }],
      })
      expect(getTexts(messages)).toEqual(expected.words)
      const status = ['failing-shell', 'read-missing'].includes(scenario) ? 'error' : 'success'
      expect(getCalls(messages)).toEqual(expected.tools.map((name) => [name, status]))
      const thoughts = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'thinking')
      expect(thoughts.length > 0).toBe(expected.thoughts.length > 0)
    })

    it('succeeds with usage and cost', () => {
      const reader = reading(headless)
      const events = readEvents(reader, recording.lines)
      expect(events[0]).toMatchObject({ type: 'session', version: recording.version, cwd: '/home/user/work' })
      expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
      expect(events).toContainEqual(expect.objectContaining({ type: 'usage', scope: 'run' }))
      expect(reader.end({ code: 0, signal: null }, '')).toMatchObject({
        ok: true,
        stopReason: 'end_turn',
        turns: expect.any(Number),
        costUsd: expect.any(Number),
        permissionDenials: [],
      })
    })
  },
)

it.each([
  ['fault-400', 'input'],
  ['fault-401', 'auth'],
  ['fault-403', 'permission'],
  ['fault-404', 'model_not_found'],
  ['fault-429', 'rate_limit'],
  ['fault-500', 'overloaded'],
  ['fault-503', 'overloaded'],
  ['fault-cut', 'network'],
  ['fault-quota', 'quota'],
  ['fault-safety', 'input'],
])('%s fails with %s, and the refusal is no answer', (scenario, code) => {
  for (const version of new Set(all.map((each) => each.version))) {
    const recorded = all.filter((each) => each.version === version)
    const { events, ...end } = failureIn(headless, recorded, scenario)
    expect(end).toEqual({ ok: false, code })
    expect(events).toContainEqual(expect.objectContaining({ type: 'error', severity: 'warning' }))
    expect(getTexts(fold(events)).join()).not.toContain('API Error')
  }
})

describe('a streamed message', () => {
  const record = (event: object, more: object = {}) =>
    JSON.stringify({ type: 'stream_event', event, session_id: 's', parent_tool_use_id: null, ...more })
  const start = record({
    type: 'message_start',
    message: { id: 'm', model: 'opus', usage: { input_tokens: 3 } },
  })
  const block = (type: string) => record({ type: 'content_block_start', index: 0, content_block: { type } })
  const piece = (text: string) => record({ type: 'content_block_delta', delta: { type: 'text_delta', text } })
  const whole = (text: string) =>
    JSON.stringify({
      type: 'assistant',
      message: { id: 'm', model: 'opus', content: [{ type: 'text', text }] },
      session_id: 's',
    })

  it('has its text once, and ends with its block', () => {
    const lines = [
      start,
      block('text'),
      piece('Hel'),
      piece('lo'),
      whole('Hello'),
      block('text'),
      piece('B'),
      whole('B'),
    ]
    const texts = readEvents(reading(headless), lines).filter((event) => event.type === 'text')
    expect(texts.map(({ entity, offset, text, final }) => [entity, offset, text, final])).toEqual([
      ['m/text/0', 0, 'Hel', undefined],
      ['m/text/0', 3, 'lo', undefined],
      ['m/text/0', 5, '', true],
      ['m/text/1', 0, 'B', undefined],
      ['m/text/1', 1, '', true],
    ])
  })

  it('is replaced by a different block and by a retry', () => {
    const retried = [
      start,
      block('text'),
      piece('Hel'),
      start,
      block('text'),
      piece('Good'),
      whole('Good day'),
    ]
    expect(getTexts(fold(readEvents(reading(headless), retried)))).toEqual(['Good day'])
    const differs = [start, block('text'), piece('Hello'), whole('Bye')]
    expect(getTexts(fold(readEvents(reading(headless), differs)))).toEqual(['Bye'])
  })

  it('has its tokens at its end, cached ones as part of the input', () => {
    const usage = { output_tokens: 7, cache_read_input_tokens: 10 }
    const events = readEvents(reading(headless), [start, record({ type: 'message_delta', usage })])
    expect(events.at(-1)).toMatchObject({
      type: 'usage',
      scope: 'message',
      model: 'opus',
      usage: { inputTokens: 13, outputTokens: 7, totalTokens: 20, cachedTokens: 10 },
    })
  })

  it('of a sub-agent belongs to its call', () => {
    const under = { parent_tool_use_id: 'task' }
    const lines = [
      start,
      record({ type: 'message_start', message: { id: 'sub' } }, under),
      record({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'found' } }, under),
      piece('meanwhile'),
      JSON.stringify({ type: 'user', message: { content: 'look' }, session_id: 's', uuid: 'u', ...under }),
    ]
    const events = readEvents(reading(headless), lines)
    expect(events.find((event) => event.type === 'text' && event.text === 'found')).toMatchObject({
      parent: 'task',
      message: 'sub',
    })
    expect(events.find((event) => event.type === 'text' && event.text === 'meanwhile')).toMatchObject({
      message: 'm',
    })
    expect(events.at(-1)).toMatchObject({ type: 'message', role: 'user', parent: 'task', entity: 'u' })
    expect(events.at(-1)).not.toHaveProperty('context')
  })
})

describe('status records', () => {
  const system = (subtype: string, more: object = {}) =>
    JSON.stringify({ type: 'system', subtype, session_id: 's', ...more })
  const last = (line: string) => readEvents(reading(headless), [system('init'), line]).at(-1)

  it.each<[string, string, object]>([
    [
      'a retry',
      system('api_retry', {
        attempt: 2,
        max_retries: 10,
        retry_delay_ms: 500.4,
        error_status: 529,
        error: 'overloaded',
      }),
      {
        status: 'retrying',
        detail: 'overloaded',
        value: { attempt: 2, maxRetries: 10, waitMs: 500, httpStatus: 529 },
      },
    ],
    ['compaction', system('status', { status: 'compacting' }), { status: 'compacting' }],
    [
      'its end',
      system('compact_boundary', { compact_metadata: { trigger: 'auto' } }),
      { status: 'compacting', value: { trigger: 'auto' } },
    ],
    [
      'a task',
      system('task_started', { task_id: 't', description: 'look' }),
      { status: 'working', detail: 'look' },
    ],
    ['a new turn', system('init'), { status: 'working' }],
    [
      'a hook that failed',
      system('hook_response', { hook_name: 'Stop', outcome: 'error', stderr: 'no\n' }),
      { type: 'error', severity: 'warning', message: 'The hook Stop ended with error: no' },
    ],
    [
      'a limit that is near',
      JSON.stringify({
        type: 'rate_limit_event',
        rate_limit_info: { status: 'allowed_warning', rateLimitType: 'five_hour' },
        session_id: 's',
      }),
      { type: 'error', code: 'quota', message: 'The usage limit (five_hour) is near' },
    ],
    ['something new', system('brand_new'), { type: 'unknown', what: 'system/brand_new' }],
  ])('%s', (_name, line, event) => {
    expect(last(line)).toMatchObject(event)
  })

  it('emits hooks that run before the session after it', () => {
    const reader = reading(headless, { resume: 'old' })
    expect(reader.read(system('hook_started', { hook_name: 'SessionStart' }))).toEqual([])
    const events = readEvents(reader, [system('init', { model: 'opus' })])
    expect(events.map(({ type }) => type)).toEqual(['session', 'message', 'status'])
    expect(events[0]).toMatchObject({ entity: 's', model: 'opus', resumed: true })
  })
})

describe('a call', () => {
  const result = (content: unknown, more: object = {}) =>
    JSON.stringify({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't', content, is_error: true }] },
      session_id: 's',
      ...more,
    })
  const status = (lines: string[]) =>
    readEvents(reading(headless), lines).findLast((event) => event.type === 'tool_result')?.status

  it.each<[string, string, object?]>([
    ['denied', "Claude requested permissions to write to /a, but you haven't granted it yet."],
    ['denied', 'Permission to use Bash with command x has been denied.'],
    ['denied', 'Cannot write to /a while in plan mode.'],
    ['timeout', 'Exit code 143\nCommand timed out after 1s'],
    ['cancelled', '[Request interrupted by user for tool use]'],
    ['cancelled', 'Exit code 137', { tool_use_result: { interrupted: true } }],
    ['error', 'Exit code 126\nsh: ./x: Permission denied'],
  ])('is %s: %s', (expected, content, more) => {
    expect(status([result(content, more)])).toBe(expected)
  })

  it('is denied by a separate record of the CLI', () => {
    const denial = {
      type: 'system',
      subtype: 'permission_denied',
      tool_use_id: 't',
      message: 'no',
      session_id: 's',
    }
    expect(status([JSON.stringify(denial), result('Error')])).toBe('denied')
    const end = { type: 'result', permission_denials: [{ tool_use_id: 't' }], session_id: 's' }
    expect(status([result('Error'), JSON.stringify(end)])).toBe('denied')
  })

  it('returns media and unknown blocks', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AA==' }
    const content = [
      { type: 'image', source },
      { type: 'text', text: 'x' },
      { type: 'tool_reference', name: 'y' },
    ]
    const events = readEvents(reading(headless), [result(content)])
    expect(events.at(-1)).toMatchObject({
      content: [
        { type: 'image', source },
        { type: 'text', text: 'x' },
        { type: 'text', text: '{"type":"tool_reference","name":"y"}' },
      ],
    })
  })
})

describe('without a result', () => {
  it('the last line of stderr is the reason', () => {
    const end = (stderr: string) => reading(headless).end({ code: 1, signal: null }, stderr)
    expect(end('Warning: x\nError: Session ID a is already in use.\n')).toEqual({
      ok: false,
      failure: { message: 'Session ID a is already in use.' },
    })
    expect(end('').failure?.message).toBe('Claude Code ended with code 1 before it gave a result')
  })
})

it.each([true, false])('fails at the turn limit, also where is_error is %s', (is_error) => {
  const reader = reading(headless)
  reader.read(JSON.stringify({ type: 'result', subtype: 'error_max_turns', is_error, session_id: 's' }))
  const { ok, failure } = reader.end({ code: 1, signal: null }, '')
  expect({ ok, code: classifyError(failure!).code }).toEqual({ ok: false, code: 'budget' })
})

it('never throws and loses no line of a damaged stream', () => {
  // Pieces that frame a block or are repeated by it, and hooks that run before the session.
  const silent =
    /"type":"(content_block_start|content_block_stop|message_stop|ping|signature_delta|input_json_delta|citations_delta)"|"subtype":"hook_/
  expect(
    firstLostLine(
      headless,
      all.flatMap(({ lines }) => lines),
      silent,
    ),
  ).toBeUndefined()
})
