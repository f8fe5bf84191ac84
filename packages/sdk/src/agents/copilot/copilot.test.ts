import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fold } from '@remora/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HeadlessRequest } from '../../contract/agent.ts'
import {
  failureIn,
  firstLostLine,
  getCalls,
  getTexts,
  readEvents,
  readMessages,
  reading,
  recordings,
  scripted,
} from '../streams.test-data.ts'
import { recordedSessions, transcriptEvents, wholeScript } from '../transcripts.test-data.ts'
import { copilot } from './index.ts'
import { toClaude } from './tools.ts'

const { headless } = copilot
let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-copilot-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))
const place = (env = {}) => ({ env, home, cwd: join(home, 'work'), version: '1.0.102' })

async function writeSession(id: string, cwd: string, more: readonly object[] = [], at = 1): Promise<void> {
  const path = join(home, '.copilot/session-state', id, 'events.jsonl')
  const start = {
    type: 'session.start',
    data: { sessionId: id, producer: 'copilot-agent', context: { cwd } },
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, [start, ...more].map((record) => `${JSON.stringify(record)}\n`).join(''))
  await utimes(path, at, at)
}

describe('the command line', () => {
  const toArgs = (request: Partial<HeadlessRequest>) =>
    headless.invocation({ prompt: 'Hi', ...request }, undefined).args.slice(3)

  it.each<[string, string[]]>([
    ['default', []],
    ['acceptEdits', ['--allow-tool=write']],
    ['bypassPermissions', ['--allow-all']],
    ['autopilot', ['--mode', 'autopilot', '--allow-all']],
  ])('of mode %s has %j', (mode, flags) => {
    expect(toArgs({ mode })).toEqual(flags)
  })

  it('offers only tools that read in plan mode', () => {
    const [, , only] = toArgs({ mode: 'plan' })
    expect(only).toMatch(/^--available-tools=view,.*\bgrep\b/)
    expect(only).not.toMatch(/\b(?:bash|create|edit|task)\b/)
  })

  it('passes the other options', () => {
    const media = [{ path: '/a.png', kind: 'image' as const, mediaType: 'image/png' }]
    expect(
      toArgs({ model: 'm', effort: 'low', resume: 'r', media, allow: ['shell(ls)'], extraArgs: ['-x'] }),
    ).toEqual([
      '--model',
      'm',
      '--reasoning-effort',
      'low',
      '--resume=r',
      '--attachment=/a.png',
      '--allow-tool=shell(ls)',
      '-x',
    ])
    expect(toArgs({ resume: 'latest' })).toEqual(['--continue'])
  })

  it.each<Partial<HeadlessRequest>>([
    { fork: true },
    { systemPrompt: 'Be brief.' },
    { allow: ['shell'], mode: 'plan' },
    { media: [{ path: 'a.mp3', kind: 'audio', mediaType: 'audio/mp3' }] },
  ])('refuses %j', (request) => {
    expect(() => toArgs(request)).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })

  it('keeps the servers of a run in a private file', async () => {
    const mcpServers = { one: { command: 'a' }, two: { url: 'http://127.0.0.1:1' } }
    const prepared = await headless.prepare!({ prompt: '', mcpServers }, place())
    const file = prepared.args![1]!.slice(1)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      mcpServers: {
        one: { type: 'local', command: 'a', tools: ['*'] },
        two: { type: 'http', url: 'http://127.0.0.1:1', tools: ['*'] },
      },
    })
    expect(await prepared.finish()).toEqual([])
    await expect(readFile(file)).rejects.toThrow('ENOENT')
  })
})

describe('the session of a run', () => {
  const name = async (request: Partial<HeadlessRequest>) =>
    (await headless.prepare!({ prompt: '', ...request }, place())).request

  it('has an id of ours, because the output names it only at the end', async () => {
    expect((await name({})).sessionId).toMatch(/^[\da-f-]{36}$/)
    expect(await name({ sessionId: 'own' })).toMatchObject({ sessionId: 'own' })
    expect(await name({ resume: 'r' })).toEqual({ prompt: '', resume: 'r' })
  })

  it('is the last one of the folder where the latest is resumed', async () => {
    await expect(name({ resume: 'latest' })).rejects.toMatchObject({ code: 'input' })
    await writeSession('old', join(home, 'work'), [], 1)
    await writeSession('new', join(home, 'work'), [], 2)
    await writeSession('other', home, [], 3)
    expect((await name({ resume: 'latest' })).resume).toBe('new')
  })

  it('has the tokens that its file records since the start of the run', async () => {
    const used = (timestamp: string, model: string, inputTokens: number) => ({
      type: 'session.usage_record',
      data: { usage: { model, inputTokens, outputTokens: 1 } },
      timestamp,
    })
    await writeSession('s', home, [
      used('2026-01-01T00:00:00.000Z', 'a', 100),
      used('2026-01-02T00:00:00.000Z', 'a', 2),
      used('2026-01-02T00:00:01.000Z', 'a', 3),
      used('2026-01-02T00:00:02.000Z', 'b', 4),
    ])
    expect(await headless.readUsage!(place(), 's', Date.parse('2026-01-02'))).toMatchObject({
      a: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
      b: { inputTokens: 4 },
    })
    expect(await headless.readUsage!(place(), 'missing', 0)).toEqual({})
    const modelMetrics = { a: { usage: { inputTokens: 7 } } }
    await writeSession('old', home, [
      { type: 'session.shutdown', data: { modelMetrics }, timestamp: '2026-01-02T00:00:00.000Z' },
    ])
    expect(await headless.readUsage!(place(), 'old', 0)).toEqual({ a: { inputTokens: 7 } })
  })
})

describe('the start mode', () => {
  it('is the asking mode, unless a variable allows everything', async () => {
    expect(await copilot.startMode(place())).toEqual({ mode: 'default', request: 'default' })
    const env = { COPILOT_ALLOW_ALL: 'yes' }
    expect((await copilot.startMode(place(env))).mode).toBe('bypassPermissions')
    expect(await copilot.startMode(place(env), 'plan')).toMatchObject({
      mode: 'plan',
      env: { COPILOT_ALLOW_ALL: 'false' },
    })
  })
})

describe('over ACP', () => {
  const { acp } = copilot

  it('starts in a mode that a session cannot change to, and with a model', () => {
    expect(acp.invocation(undefined).args).toEqual(['--acp'])
    expect(acp.invocation(undefined, { mode: 'bypassPermissions', model: 'm' }).args).toEqual([
      '--acp',
      '--allow-all',
      '--model',
      'm',
    ])
    expect(acp.invocation(undefined, { mode: 'plan' }).args).toEqual(['--acp'])
  })

  it.each([
    ['bash', { kind: 'execute', firstTitle: 'Lists', rawInput: { command: 'ls' } }],
    ['create', { kind: 'edit', rawInput: { path: '/a', file_text: '' } }],
    ['create', { kind: 'edit', firstTitle: 'Creating /a', rawInput: { fileName: '/a', diff: '' } }],
    ['create', { kind: 'edit', title: 'Create file', rawInput: { fileName: '/a', diff: '' } }],
    ['edit', { kind: 'edit', rawInput: { path: '/a', old_str: 'a', new_str: 'b' } }],
    ['view', { kind: 'read', firstTitle: 'Viewing /a', rawInput: { path: '/a' } }],
    ['grep', { kind: 'read', firstTitle: "Searching for 'x'", rawInput: { pattern: 'x' } }],
    ['glob', { kind: 'read', firstTitle: 'Finding files matching *', rawInput: { pattern: '*' } }],
    ['desk-lookup', { kind: 'other', firstTitle: 'desk-lookup', rawInput: { command: 'ls' } }],
    [undefined, { kind: 'other', firstTitle: 'Look around' }],
  ])('finds the tool %s of %j', (name, call) => {
    expect(acp.nativeName!(call)).toBe(name)
  })

  it('takes only a tool of the server for one, whatever the model writes', () => {
    const ask = (kind: string, title: string) => ({ toolCall: { kind, title } })
    expect(acp.hostTool!('remora', ask('other', 'add'), { firstTitle: 'remora-add' })).toBe('add')
    expect(acp.hostTool!('remora', ask('other', 'add'), { firstTitle: 'desk-add' })).toBeUndefined()
    expect(acp.hostTool!('remora', ask('execute', 'add'), { firstTitle: 'remora-add' })).toBeUndefined()
    expect(acp.hostTool!('remora', ask('other', 'remora-add'), { firstTitle: 'remora-add' })).toBeUndefined()
  })

  it('distinguishes the notices and errors of Copilot from the text of the model', () => {
    const { remarks, failureText } = acp.quirks!(undefined)
    expect(remarks!.exec('Info: /home/me/a.txt')?.groups?.['noise']).toBe('/home/me/a.txt')
    expect(remarks!.exec('Info: Request failed due to a transient API error. Retrying...')).not.toBeNull()
    expect('Info: this is an answer').not.toMatch(remarks!)
    expect('Error: Authentication failed with provider at http://127.0.0.1/v1 (HTTP 401).').toMatch(
      failureText!,
    )
    expect('Error: 400 Invalid request.').toMatch(failureText!)
    expect('Error: the test fails because of a typo.').not.toMatch(failureText!)
  })
})

const all = recordings(import.meta.url)
const works = all.filter(({ scenario }) => !scenario.startsWith('fault-'))
const fails = (scenario: string) => ['failing-shell', 'read-missing'].includes(scenario)

describe.each(works.map((each) => [each.scenario, each.version, each] as const))(
  'the stream of %s in %s',
  (scenario, _version, recording) => {
    it('has the texts and calls of the script, and nothing unknown', () => {
      const messages = readMessages(headless, recording)
      const expected = scripted(recording)
      expect(getTexts(messages)).toEqual(expected.words)
      expect(getCalls(messages)).toEqual(
        expected.tools.map((name) => [name, fails(scenario) ? 'error' : 'success']),
      )
      const blocks = messages.flatMap(({ content }) => content)
      const thoughts = blocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('')
      const titles = [...thoughts.matchAll(/\*\*(.+?)\*\*/g)].map(([, title]) => title)
      expect(titles).toEqual(expected.thoughts)
      const reader = reading(headless)
      const events = readEvents(reader, recording.lines)
      expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
      expect(reader.end({ code: 0, signal: null }, '')).toMatchObject({ ok: true })
    })
  },
)

it.each([
  ['fault-400', 'input'],
  ['fault-401', 'auth'],
  ['fault-403', 'permission'],
  ['fault-404', 'model_not_found'],
  ['fault-429', 'rate_limit'],
  ['fault-quota', 'quota'],
  ['fault-500', 'overloaded'],
  ['fault-cut', 'network'],
])('%s fails with %s', (scenario, code) => {
  const { events, ...end } = failureIn(headless, all, scenario)
  expect(end).toEqual({ ok: false, code })
  expect(getTexts(fold(events)).join('')).not.toContain('HTTP')
})

it('reports an error at the start by its first line', () => {
  const stderr =
    "Error: No session, task, or name matched 'x'.\n\nTo resume by name:   copilot --resume=<name>\n"
  const { ok, failure } = reading(headless).end({ code: 1, signal: null }, stderr)
  expect({ ok, failure }).toEqual({
    ok: false,
    failure: { message: "No session, task, or name matched 'x'." },
  })
})

it.each([
  [{ success: true, shellExecution: { exitCode: 1 } }, 'error'],
  [{ success: false, error: { message: 'No.', code: 'rejected' } }, 'denied'],
  [{ success: false, error: { message: 'No.', code: 'denied' } }, 'denied'],
  [{ success: false, error: { message: 'No.', code: 'failure' } }, 'error'],
])('reads the result %j as %s', (data, status) => {
  const record = { type: 'tool.execution_complete', data: { toolCallId: 'c', ...data } }
  expect(readEvents(reading(headless), [JSON.stringify(record)]).at(-1)).toMatchObject({
    type: 'tool_result',
    entity: 'c',
    status,
  })
})

it('puts the events of a sub-agent below the call that started it', () => {
  const records = [
    { type: 'subagent.started', data: { toolCallId: 'call' }, agentId: 'sub' },
    { type: 'user.message', data: { content: 'Look.', messageId: 'm', source: 'agent-x' }, agentId: 'sub' },
    { type: 'user.message', data: { content: 'Continue.', messageId: 'n', source: 'system' } },
  ]
  const events = readEvents(
    reading(headless),
    records.map((record) => JSON.stringify(record)),
  )
  expect(events.slice(1)).toMatchObject([
    { entity: 'm', parent: 'call' },
    { entity: 'n', context: true },
  ])
  expect(events[2]).not.toHaveProperty('parent')
})

it('maps the lines of a file and the choices of a question', () => {
  expect(toClaude('view', { path: '/a', view_range: [2, 5] }).input).toEqual({
    file_path: '/a',
    offset: 2,
    limit: 4,
  })
  expect(toClaude('view', { path: '/a', view_range: [2, -1] }).input).toEqual({ file_path: '/a', offset: 2 })
  expect(toClaude('ask_user', { question: 'Which?', choices: ['a'] }).input).toEqual({
    questions: [{ question: 'Which?', options: [{ label: 'a' }] }],
  })
})

it('loses no damaged line of a stream', () => {
  const lines = works.flatMap((recording) => recording.lines)
  expect(
    firstLostLine(headless, lines, /"type":"(?:assistant\.|model\.|session\.|tool\.|result)/),
  ).toBeUndefined()
})

const sessions = recordedSessions(import.meta.url)

describe.each(sessions.map((each) => [`${each.scenario} (${each.way})`, each] as const))(
  'the transcript of %s',
  (_, session) => {
    it('has the texts and calls of the script, tokens, and an event for every line', async () => {
      const events = await transcriptEvents(copilot, session.path)
      const messages = fold(events)
      const expected = wholeScript(session)
      const [prompt] = messages.filter(({ role, context }) => role === 'user' && !context)
      expect(prompt).toMatchObject({ content: [{ type: 'text', text: session.script.prompt }] })
      if (!session.scenario.startsWith('fault-')) {
        expect(getTexts(messages)).toEqual(expected.words)
        const scopes = events.flatMap((event) => (event.type === 'usage' ? [event.scope] : []))
        expect(new Set(scopes)).toEqual(new Set([session.version === '1.0.89' ? 'turn' : 'message']))
        if (session.version !== '1.0.89')
          expect(messages.filter(({ role, usage }) => role === 'assistant' && !usage)).toEqual([])
      }
      expect(getCalls(messages)).toEqual(
        expected.tools.map((name) => [name, fails(session.scenario) ? 'error' : 'success']),
      )
      expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
      const lines = (await readFile(session.path, 'utf8')).trimEnd().split('\n')
      expect(events.flatMap(({ raw }) => (raw === undefined ? [] : [raw]))).toHaveLength(lines.length)
    })
  },
)

it('recognizes its own sessions', () => {
  const { isOwnRecord, isSession } = copilot.transcripts
  expect(isOwnRecord({ type: 'session.start', data: { producer: 'copilot-agent' } })).toBe(true)
  expect(isOwnRecord({ type: 'session.start', data: {} })).toBe(false)
  expect(isSession('00000001-0000-4000-8000-000000000000/events.jsonl')).toBe(true)
  expect(isSession('.session-operation-locks/events.jsonl')).toBe(false)
  expect(isSession('00000001-0000-4000-8000-000000000000/files/events.jsonl')).toBe(false)
})
