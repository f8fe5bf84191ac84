import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Event, fold, getMessageText } from '@remora/protocol'
import { type Scenario, loadScenario } from '@remora/scripted-model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyError } from '../../events/classify-error.ts'
import { EventMaker } from '../../events/event-maker.ts'
import { streamReader } from './stream.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
const versions = await readdir(fixtures)

const newReader = (request = {}) =>
  streamReader(new EventMaker({ agent: 'gemini', channel: 'headless', source: 'run' }), {
    prompt: 'x',
    ...request,
  })

async function recorded(version: string, scenario: string) {
  const folder = join(fixtures, version, scenario)
  const meta = JSON.parse(await readFile(join(folder, 'meta.json'), 'utf8')) as {
    runs: { code: number; stderr: string[] }[]
  }
  const reader = newReader()
  const lines = (await readFile(join(folder, 'stream.jsonl'), 'utf8')).split('\n')
  const events = lines.flatMap((line) => reader.read(line))
  const [{ code, stderr }] = meta.runs as [{ code: number; stderr: string[] }]
  const asides = stderr.flatMap((line) => reader.readError!(line))
  return { events, asides, outcome: reader.end({ code, signal: null }, stderr.join('\n')) }
}

/** The text and calls of the first turn of a scenario. */
function script({ turns: [replies = []] }: Scenario) {
  return {
    text: replies.map(({ text = '' }) => [text].flat().join('')).join(''),
    tools: replies.flatMap(({ tools = [] }) =>
      tools.map((tool) => ('name' in tool ? tool.name : tool.native)),
    ),
  }
}

const scenarios = [
  'hello',
  'write-file',
  'edit',
  'shell',
  'failing-shell',
  'parallel',
  'read-missing',
  'retry-then-ok',
]

describe.each(versions)('stream-json of %s', (version) => {
  it.each(scenarios)('folds %s to the messages of the scenario', async (name) => {
    const scenario = await loadScenario(name)
    const { events, outcome } = await recorded(version, name)
    for (const event of events) expect(Event.safeParse(event).error).toBeUndefined()
    expect(events[0]).toMatchObject({
      type: 'session',
      session: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    })
    const [prompt, ...answers] = fold(events)
    expect(prompt).toMatchObject({ role: 'user', content: [{ type: 'text', text: scenario.prompt }] })
    const blocks = answers.flatMap((message) => message.content)
    expect({
      text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      tools: blocks.flatMap((block) => (block.type === 'tool_use' ? block.name : [])),
    }).toEqual(script(scenario))
    expect(outcome).toMatchObject({ ok: true, stopReason: 'end_turn' })
    expect(events.find((event) => event.type === 'usage')).toMatchObject({
      scope: 'run',
      usage: { inputTokens: expect.any(Number) as number, outputTokens: expect.any(Number) as number },
    })
  })

  it.each([
    ['fault-400', 'input'],
    ['fault-401', 'auth'],
    ['fault-403', 'permission'],
    ['fault-404', 'model_not_found'],
    ['fault-429', 'rate_limit'],
    ['fault-quota', 'quota'],
    ['fault-500', 'overloaded'],
    ['fault-503', 'overloaded'],
    ['fault-cut', 'network'],
  ])('reports %s as %s', async (name, code) => {
    const { events, outcome } = await recorded(version, name)
    for (const event of events) expect(Event.safeParse(event).error).toBeUndefined()
    expect(outcome.ok).toBe(false)
    expect(classifyError(outcome.failure!).code).toBe(code)
  })

  it('shows that the CLI retries', async () => {
    const { asides } = await recorded(version, 'retry-then-ok')
    expect(asides).toEqual([
      expect.objectContaining({ type: 'status', status: 'retrying', value: { attempt: 1, httpStatus: 503 } }),
    ])
  })

  it('keeps the error of a tool', async () => {
    const { events } = await recorded(version, 'read-missing')
    expect(events.find((event) => event.type === 'tool_result')).toMatchObject({
      status: 'error',
      content: expect.stringContaining('File not found') as string,
      raw: { error: { type: 'file_not_found' } },
    })
  })
})

it('reports an empty answer, which is an error in 0.61', async () => {
  const { events, outcome } = await recorded('0.61.0', 'fault-empty')
  expect(events.find((event) => event.type === 'error')).toMatchObject({ severity: 'error' })
  expect(outcome).toMatchObject({ ok: false })
  expect(classifyError(outcome.failure!)).toMatchObject({ code: 'overloaded', retryable: true })
})

it('does not fail for a warning', () => {
  const reader = newReader()
  const [warning] = reader.read('{"type":"error","severity":"warning","message":"Loop detected"}')
  expect(warning).toMatchObject({ type: 'error', severity: 'warning', message: 'Loop detected' })
  reader.read('{"type":"result","status":"success","stats":{}}')
  expect(reader.end({ code: 1, signal: null }, '')).toMatchObject({ ok: true })
})

it.each([
  ['run_shell_command', 'Command exited with code: 4', 'error'],
  ['run_shell_command', 'oops', 'success'],
  ['read_file', 'Command exited with code: 4', 'success'],
])('reports the status of a call of %s with output %j', (name, output, status) => {
  const reader = newReader()
  reader.read(JSON.stringify({ type: 'tool_use', tool_id: 't', tool_name: name, parameters: {} }))
  const scenarios = JSON.stringify({ type: 'tool_result', tool_id: 't', status: 'success', output })
  expect(reader.read(scenarios)).toMatchObject([{ type: 'tool_result', status, content: output }])
})

it('reports a call blocked by a hook as denied', () => {
  const error = { type: 'execution_failed', message: 'Not here' }
  const output = 'Tool execution blocked: Not here'
  const scenarios = JSON.stringify({ type: 'tool_result', tool_id: 't', status: 'error', output, error })
  expect(newReader().read(scenarios)).toMatchObject([{ status: 'denied', content: 'Not here' }])
})

it('treats an exit without a result as a failure, whatever the code', () => {
  expect(newReader().end({ code: 0, signal: null }, '')).toMatchObject({ ok: false })
})

it('reports no retry after the last attempt', () => {
  expect(newReader().readError!('Attempt 2 failed: Overloaded. Max attempts reached')).toEqual([])
})

it('treats a message that repeats its deltas as the same text', () => {
  const reader = newReader()
  const say = (content: string, delta?: boolean) =>
    reader.read(JSON.stringify({ type: 'message', role: 'assistant', content, delta }))
  const events = [...say('a', true), ...say('b', true), ...say('abc', false), ...say('d', true), ...say('x')]
  expect(fold(events).map(getMessageText)).toEqual(['abc\nd\nx'])
})

it('fails after an error that nothing followed, whatever the result', () => {
  const lines = [
    '{"type":"error","severity":"error","message":"Quota exceeded"}',
    '{"type":"message","role":"assistant","content":"Hello","delta":true}',
    '{"type":"result","status":"success","stats":{}}',
  ]
  const end = (some: string[]) => {
    const reader = newReader()
    for (const line of some) reader.read(line)
    return reader.end({ code: 0, signal: null }, '')
  }
  expect(end(lines)).toMatchObject({ ok: true })
  expect(end([lines[0]!, lines[2]!])).toMatchObject({ ok: false, failure: { message: 'Quota exceeded' } })
  expect(end([lines[1]!, lines[0]!, lines[2]!])).toMatchObject({ ok: false })
})

it('fails if 0.11.3 reports a refused request only on standard error', async () => {
  // Recorded with 0.11.3 and the scenario fault-401.
  const folder = await mkdtemp(join(tmpdir(), 'remora-gemini-report-'))
  const report = join(folder, 'gemini-client-error-Turn.run-sendMessageStream-2026-01-01T00-00-00-000Z.json')
  const answer = {
    error: {
      code: 401,
      message: 'Request had invalid authentication credentials.',
      status: 'UNAUTHENTICATED',
    },
  }
  await writeFile(report, JSON.stringify({ error: { message: JSON.stringify(answer), stack: 'ApiError' } }))
  const stderr = `Error when talking to Gemini API Full report available at: ${report}\n`
  const end = (inputLines: string[]) => {
    const reader = newReader()
    for (const line of inputLines) reader.read(line)
    reader.read('{"type":"result","status":"success","stats":{"total_tokens":122,"tool_calls":0}}')
    return reader.end({ code: 0, signal: null }, stderr)
  }
  const { ok, failure } = end([])
  expect(ok).toBe(false)
  expect(classifyError(failure!).code).toBe('auth')
  // A side request may fail while the answer still arrives.
  expect(end(['{"type":"message","role":"assistant","content":"Hi","delta":true}'])).toMatchObject({
    ok: true,
  })
  await rm(folder, { recursive: true })
  expect(end([])).toMatchObject({ ok: false, failure: { message: stderr.trim() } })
})

it('reports the turn limit as one', () => {
  // Recorded with 0.11.3 and maxSessionTurns 1; the exit code is 53.
  const message =
    'Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.'
  const error = { type: 'FatalTurnLimitedError', message }
  const reader = newReader()
  reader.read(JSON.stringify({ type: 'result', status: 'error', error, stats: {} }))
  const { ok, failure } = reader.end({ code: 53, signal: null }, '')
  expect({ ok, code: classifyError(failure!).code }).toEqual({ ok: false, code: 'budget' })
})

it.each([
  [41, 'Invalid auth method selected.\n', 'auth', 'Invalid auth method selected.'],
  [
    42,
    'Ripgrep is not available. Falling back to GrepTool.\nError resuming session: Invalid session identifier "x".\n  Searched for sessions in /a.\n  Use --list-sessions to see available sessions\n',
    'input',
    'Invalid session identifier "x"',
  ],
  [
    53,
    'Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.\n',
    'budget',
    'turn limit',
  ],
  [
    55,
    'Gemini CLI is not running in a trusted directory. To proceed, either use `--skip-trust`\n',
    'untrusted',
    'trusted',
  ],
  [
    1,
    'Unknown argument: api-key\nUsage: gemini [options] [command]\n\nOptions:\n  -h, --help  Show help  [boolean]\n',
    'input',
    'Unknown argument: api-key',
  ],
  [
    1,
    'Usage: gemini [options] [command]\n\nOptions:\n  -h, --help  Show help  [boolean]\n\nUnknown arguments: x, y\n',
    'input',
    'Unknown arguments: x, y',
  ],
  [
    1,
    'Invalid values:\n  Argument: approval-mode, Given: "nope", Choices: "default", "plan"\nUsage: gemini [options]\n',
    'input',
    'Invalid values: Argument: approval-mode, Given: "nope"',
  ],
  [
    1,
    'Cannot use both --prompt (-p) and --prompt-interactive (-i) together\nUsage: gemini [options]\n\n  -h, --help  Show help\n',
    'input',
    'Cannot use both --prompt',
  ],
])('explains the exit code %i', (code, stderr, expected, messagePart) => {
  const { failure } = newReader().end({ code, signal: null }, stderr)
  expect(failure!.message).toContain(messagePart)
  expect(classifyError(failure!).code).toBe(expected)
})

describe('any line', () => {
  const types = ['init', 'message', 'tool_use', 'tool_result', 'error', 'result', 'news']
  const keys = [
    'session_id',
    'model',
    'role',
    'content',
    'tool_name',
    'tool_id',
    'parameters',
    'status',
    'output',
  ]
  const more = ['error', 'severity', 'message', 'stats', 'timestamp', 'delta', 'other']
  const value = fc.oneof(fc.constantFrom('user', 'assistant', 'success', 'error'), fc.jsonValue())
  const record = fc
    .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...keys, ...more), value))
    .map(([type, fields]) => ({ type, ...fields }))

  it('is read into valid events without throwing', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      record.map((each) => JSON.stringify(each)),
    )
    fc.assert(
      fc.property(fc.array(line), fc.integer(), fc.string(), (lines, code, stderr) => {
        const reader = newReader()
        for (const each of lines) {
          const events = [...reader.read(each), ...reader.readError!(each)]
          for (const event of events) expect(Event.safeParse(event).error).toBeUndefined()
        }
        expect(reader.end({ code, signal: null }, stderr).ok).toBeTypeOf('boolean')
      }),
    )
  })

  it('is kept as the raw of its first event unless it is blank', () => {
    fc.assert(
      fc.property(record, (each) => {
        const line = JSON.stringify(each)
        expect(newReader().read(line)[0]?.raw).toEqual(JSON.parse(line))
      }),
    )
  })
})
