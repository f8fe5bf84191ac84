import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
import { kimi } from './index.ts'
import { toToolStatus } from './tool-status.ts'
import { toClaude } from './tools.ts'

const { acp, headless, transcripts } = kimi
let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-kimi-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))
const place = (env = {}) => ({ env, home, cwd: join(home, 'work'), version: '2.1.0' })

async function write(path: string, text: string): Promise<void> {
  const file = join(home, '.kimi-code', path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const toLines = (records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

async function writeSession(id: string, updatedAt: number, records: readonly object[] = []): Promise<void> {
  const folder = `sessions/wd_work_0/${id}`
  await write(`${folder}/state.json`, JSON.stringify({ id, cwd: place().cwd, updatedAt }))
  await write(`${folder}/agents/main/wire.jsonl`, toLines(records))
}

describe('the command line', () => {
  const toArgs = (request: Partial<HeadlessRequest>) =>
    headless.invocation({ prompt: 'Hi', ...request }, undefined).args.slice(2)

  it('has the prompt as one argument, also if it looks like an option', () => {
    expect(toArgs({ prompt: '--yolo' })).toEqual(['--prompt=--yolo'])
    expect(toArgs({ model: 'm', resume: 'r', mode: 'never-ask', extraArgs: ['-x'] })).toEqual(
      '--model m --session r -x --prompt=Hi'.split(' '),
    )
    expect(toArgs({ resume: 'latest' })).toEqual(['--continue', '--prompt=Hi'])
  })

  it.each(['default', 'plan', 'acceptEdits'])('fails in mode %s without the file of its tools', (mode) => {
    expect(toArgs({ mode })).toEqual(['--agent-file', 'remora-agent-file-is-missing', '--prompt=Hi'])
  })

  it.each<Partial<HeadlessRequest>>([
    { sessionId: 's' },
    { fork: true },
    { systemPrompt: 'Be brief.' },
    { effort: 'high' },
    { mcpServers: {} },
    { allow: ['Bash(ls)'] },
    { allow: ['Bash'], mode: 'plan' },
    { mode: 'auto' },
    { media: [{ path: 'a.png', kind: 'image', mediaType: 'image/png' }] },
  ])('refuses %j', (request) => {
    expect(() => toArgs(request)).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })
})

describe('a run that must not do everything', () => {
  const prepare = async (request: Partial<HeadlessRequest>) => {
    const prepared = await headless.prepare!({ prompt: 'Hi', ...request }, place())
    const { args } = headless.invocation(prepared.request, undefined)
    const index = args.indexOf('--agent-file')
    const file = index === -1 ? undefined : args[index + 1]!
    const text = file === undefined ? '' : await readFile(file, 'utf8')
    const tools = JSON.parse(/^tools: (.*)$/m.exec(text)?.[1] ?? 'null') as string[] | null
    return { prepared, file, tools }
  }

  it.each([
    [{ mode: 'default' }, ['Read', 'Grep'], ['Bash', 'Write', 'Edit', 'Agent', 'Skill', 'CronCreate']],
    [{ mode: 'plan' }, ['Read', 'Grep'], ['Bash', 'Write', 'Edit', 'Agent', 'Skill', 'CronCreate']],
    [{ mode: 'acceptEdits' }, ['Read', 'Write', 'Edit'], ['Bash', 'Agent', 'Skill', 'CronCreate']],
    [{ mode: 'default', allow: ['Bash'] }, ['Read', 'Bash'], ['Write', 'Edit', 'Agent']],
  ])('has in %j only some tools', async (request, some, none) => {
    const { prepared, file, tools } = await prepare(request)
    expect(tools).toEqual(expect.arrayContaining(some))
    for (const name of none) expect(tools).not.toContain(name)
    await prepared.finish()
    await expect(readFile(file!)).rejects.toThrow('ENOENT')
  })

  it('has all tools in a mode that never asks', async () => {
    for (const mode of ['bypassPermissions', 'yolo', undefined])
      expect((await prepare(mode === undefined ? {} : { mode })).tools).toBeNull()
  })

  const bind = (profileName: string, activeToolNames: readonly string[]) => ({
    type: 'profile.bind',
    profileName,
    activeToolNames,
  })

  it('resumes only a session that has no more tools than the mode', async () => {
    const turn = { type: 'turn.prompt', turnId: 3 }
    await writeSession('few', 1, [bind('remora-fewer-tools', ['Read']), turn])
    await writeSession('edits', 1, [bind('remora-fewer-tools', ['Read', 'Edit'])])
    await writeSession('all', 2, [bind('agent', ['Read', 'Bash'])])
    await writeSession('named', 1, [bind('agent', ['Read'])])
    const changed = { type: 'tools.set_active_tools', names: ['Bash'] }
    await writeSession('changed', 1, [bind('remora-fewer-tools', ['Read']), changed])
    const resume = (id: string, mode: string) => prepare({ resume: id, mode })
    expect((await resume('few', 'plan')).prepared.request).toMatchObject({ resume: 'few', turn: 4 })
    expect((await resume('few', 'acceptEdits')).prepared.request).toMatchObject({ resume: 'few' })
    expect((await resume('latest', 'never-ask')).prepared.request).toMatchObject({ resume: 'all', turn: 0 })
    for (const [id, mode] of [
      ['edits', 'plan'],
      ['all', 'default'],
      ['named', 'plan'],
      ['changed', 'plan'],
      ['few', 'never-ask'],
    ] as const)
      await expect(resume(id, mode), `${id} ${mode}`).rejects.toMatchObject({ code: 'unsupported' })
    await expect(resume('missing', 'plan')).rejects.toMatchObject({ code: 'input' })
  })
})

describe('the session of a run', () => {
  const index = (...entries: readonly [id: string, workDir: string][]) =>
    write(
      'session_index.jsonl',
      toLines(
        entries.map(([sessionId, workDir]) => ({
          sessionId,
          workDir,
          sessionDir: join(home, '.kimi-code/sessions/wd_work_0', sessionId),
        })),
      ),
    )
  const answer = JSON.stringify({ role: 'assistant', content: 'Hello' })

  it('is the new one of its folder, before the output names it', async () => {
    await index(['old', place().cwd])
    const { request } = await headless.prepare!({ prompt: 'Hi' }, place())
    await index(['old', place().cwd], ['other', home], ['new', place().cwd])
    const [session] = readEvents(reading(headless, request), [answer])
    expect(session).toMatchObject({ type: 'session', session: 'new' })
  })

  it('is the one with the same prompt if two runs start at once', async () => {
    const prompt = (text: string) => [{ type: 'turn.prompt', input: [{ type: 'text', text }] }]
    const { request } = await headless.prepare!({ prompt: 'Hi "you"' }, place())
    await index(['a', place().cwd], ['b', place().cwd])
    await writeSession('a', 1, prompt('Hi'))
    await writeSession('b', 1, prompt('Hi "you"'))
    expect(readEvents(reading(headless, request), [answer])[0]).toMatchObject({ session: 'b' })
  })

  it('has the tokens that its file records since the start', async () => {
    const used = (time: number, inputOther: number) => ({
      type: 'usage.record',
      model: 'm',
      usage: { inputOther, output: 1, inputCacheRead: 10 },
      time,
    })
    await writeSession('s', 1, [used(1, 100), used(2, 2), used(3, 3)])
    expect(await headless.readUsage!(place(), 's', 2)).toEqual({
      m: { inputTokens: 25, outputTokens: 2, totalTokens: 27, cachedTokens: 20 },
    })
    expect(await headless.readUsage!(place(), 'missing', 0)).toEqual({})
  })
})

describe('the start mode', () => {
  it.each([
    ['', 'default'],
    ['default_permission_mode = "yolo"', 'yolo'],
    ['default_permission_mode = "auto"', 'bypassPermissions'],
    ['default_permission_mode = "auto"\ndefault_plan_mode = true', 'plan'],
  ])('with the configuration %j is %s', async (text, mode) => {
    await write('config.toml', text)
    expect(await kimi.startMode(place())).toEqual({ mode, request: mode })
    expect(await kimi.startMode(place(), 'plan')).toEqual({ mode: 'plan', request: 'plan' })
  })
})

describe('plan mode over ACP', () => {
  it.each([
    ['', undefined],
    ['[permission]\nallow = ["Read", "Grep(*)"]', undefined],
    ['[permission]\nallow = ["Bash(git *)"]', 'Bash(git *)'],
    ['[permission]\nallow = "mcp__a__b"', 'mcp__a__b'],
    ['[[permission.rules]]\ndecision = "allow"\npattern = "Write"', 'Write'],
    ['[[permission.rules]]\ndecision = "allow"\ntool = "Edit"', 'Edit'],
    ['[[permission.rules]]\ndecision = "deny"\npattern = "Write"', undefined],
  ])('with %j is refused for %s', async (text, rule) => {
    await write('config.toml', text)
    const obstacle = await acp.planObstacle!(place())
    if (rule === undefined) expect(obstacle).toBeUndefined()
    else expect(obstacle?.message).toContain(rule)
  })

  it('is refused in a git work tree, where sub-agents write unasked', async () => {
    await mkdir(join(home, '.git'))
    expect(await acp.planObstacle!(place())).toMatchObject({ code: 'plan_not_read_only' })
  })
})

describe('a permission request', () => {
  const command = `echo ${'a'.repeat(60)}; touch hidden.txt`
  const text = (value: string) => [{ type: 'content', content: { type: 'text', text: value } }]
  const ask = (title: string, action: string) => ({
    title,
    content: text(`Requesting approval to ${action}`),
  })
  const call = (title: string, input: object, more = {}) => ({
    title,
    status: 'pending',
    content: text(JSON.stringify(input)),
    ...more,
  })
  const running = ask('Bash', `Running: ${command.slice(0, 50)}…`)
  const read = acp.readAskedInput!.bind(acp)

  it('has the whole input of the call that it is about', () => {
    expect(read(running, call('Bash', { command }))).toEqual({ command })
    expect(read(ask('Write', 'Writing a.txt'), call('Write', { path: 'a.txt', content: 'x' }))).toEqual({
      path: 'a.txt',
      content: 'x',
    })
    const input = { a: 1 }
    expect(read(ask('mcp__s__t', 'Approve mcp__s__t'), call('mcp__s__t', input))).toEqual(input)
    // An id that a model uses again in the same turn.
    expect(read(running, call('Bash', { command }, { rawInput: { command: 'ls' } }))).toEqual({ command })
  })

  it.each([
    ['of an unknown call', {}],
    ['of another tool', call('Write', { path: 'a.txt' })],
    ['of a call that has begun', call('Running: echo', { command })],
    ['of a call that has ended', call('Bash', { command }, { status: 'completed' })],
    ['of another command', call('Bash', { command: 'ls' })],
    ['of a call whose input is cut', { ...call('Bash', {}), content: text('{"command":"echo') }],
  ])('has no certain input where it seems to be %s', (_, known) => {
    expect(read(running, known)).toBeUndefined()
  })

  it('names only a tool of the server', () => {
    expect(acp.hostTool!('remora', { toolCall: { title: 'mcp__remora__add' } }, {})).toBe('add')
    expect(acp.hostTool!('remora', { toolCall: { title: 'mcp__desk__add' } }, {})).toBeUndefined()
  })
})

const all = recordings(import.meta.url)
const works = all.filter(({ scenario }) => !scenario.startsWith('fault-'))
const fails = (scenario: string) => ['failing-shell', 'read-missing'].includes(scenario)

it.each(works.map((each) => [each.scenario, each.version, each] as const))(
  'the stream of %s in %s has the texts and calls of the script, and nothing unknown',
  (scenario, _version, recording) => {
    const messages = readMessages(headless, recording)
    const expected = scripted(recording)
    expect(getTexts(messages)).toEqual(expected.words)
    expect(getCalls(messages)).toEqual(
      expected.tools.map((name) => [name, fails(scenario) ? 'error' : 'success']),
    )
    const reader = reading(headless)
    const events = readEvents(reader, recording.lines)
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
    expect(reader.end({ code: 0, signal: null }, '')).toMatchObject({ ok: true })
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
  ['fault-503', 'overloaded'],
  ['fault-empty', 'overloaded'],
  ['fault-cut', 'network'],
])('%s fails with %s', (scenario, code) => {
  const { events: _, ...end } = failureIn(headless, all, scenario)
  expect(end).toEqual({ ok: false, code })
})

it.each([
  ['Tool "Write" not found', undefined, 'denied'],
  ['Tool "Bash" was not run because the user rejected the approval request.', true, 'denied'],
  ['Tool "Bash" was not run because the approval request was cancelled.', true, 'cancelled'],
  ['Plan mode is active. You may only write to the current plan file: /a', true, 'denied'],
  ['oops\nCommand failed with exit code: 3.', undefined, 'error'],
  ['Invalid args for tool "Write": must have', undefined, 'error'],
  ['Tool "Write" not found', false, 'success'],
  ['anything', true, 'error'],
] as const)('reads the output %j of a call with isError %s as %s', (output, isError, status) => {
  expect(toToolStatus(output, isError)).toBe(status)
})

it('maps files, ranges of lines and todos', () => {
  expect(toClaude('Read', { path: '/a', line_offset: 3, n_lines: 2 }).input).toEqual({
    file_path: '/a',
    offset: 3,
    limit: 2,
  })
  expect(toClaude('TodoList', { todos: [{ title: 'a', status: 'done' }] })).toEqual({
    name: 'TodoWrite',
    input: { todos: [{ content: 'a', status: 'completed' }] },
  })
})

it('loses no damaged line of a stream', () => {
  const lines = works.flatMap((recording) => recording.lines)
  expect(firstLostLine(headless, lines, /"role":"(?:assistant|tool|meta)"/)).toBeUndefined()
})

const sessions = recordedSessions(import.meta.url)

it.each(sessions.map((each) => [`${each.scenario} (${each.way})`, each.version, each] as const))(
  'the transcript of %s in %s has the texts, calls and tokens of the script, and an event for every line',
  async (_, _version, session) => {
    const events = await transcriptEvents(kimi, session.path)
    const messages = fold(events)
    const expected = wholeScript(session)
    const [prompt] = messages.filter(({ role, context }) => role === 'user' && !context)
    expect(prompt).toMatchObject({ content: [{ type: 'text', text: session.script.prompt }] })
    if (!session.scenario.startsWith('fault-')) {
      expect(getTexts(messages)).toEqual(expected.words)
      expect(messages.filter(({ role, usage }) => role === 'assistant' && !usage)).toEqual([])
    }
    expect(getCalls(messages)).toEqual(
      expected.tools.map((name) => [name, fails(session.scenario) ? 'error' : 'success']),
    )
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
    const lines = (await readFile(session.path, 'utf8')).trimEnd().split('\n')
    expect(events.flatMap(({ raw }) => (raw === undefined ? [] : [raw]))).toHaveLength(lines.length)
  },
)

it('recognizes its own sessions', () => {
  const { isOwnRecord, isSession } = transcripts
  expect(isOwnRecord({ type: 'metadata', protocol_version: '1.5' })).toBe(true)
  expect(isOwnRecord({ type: 'metadata' })).toBe(false)
  expect(isSession('wd_work_0/session_1/agents/main/wire.jsonl')).toBe(true)
  expect(isSession('wd_work_0/session_1/agents/agent-0/wire.jsonl')).toBe(false)
})
