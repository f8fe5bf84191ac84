import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fold } from '@remora/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Mode } from '../../contract/agent.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { firstFatalPayload, readHookEvents, recordedPayloads } from '../hooks.test-data.ts'
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
import { headless } from './headless.ts'
import { hooks } from './hooks.ts'
import { qwen } from './index.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-qwen-'))
  await mkdir(join(home, '.qwen'))
  await mkdir(join(home, 'work', '.qwen'), { recursive: true })
})
afterEach(() => rm(home, { recursive: true, force: true }))
const place = () => ({ env: {}, home, cwd: join(home, 'work'), version: '0.24.4' })
const write = (name: string, settings: object) => writeFile(join(home, name), JSON.stringify(settings))
const user = '.qwen/settings.json'
const project = 'work/.qwen/settings.json'

describe('the command line', () => {
  it.each<[Mode, string]>([
    ['default', 'default'],
    ['acceptEdits', 'auto-edit'],
    ['plan', 'plan'],
    ['auto', 'auto'],
    ['bypassPermissions', 'yolo'],
  ])('of mode %s has %s in every channel', (mode, native) => {
    const flags = expect.arrayContaining(['--approval-mode', native]) as unknown
    expect(qwen.headless.invocation({ prompt: '', mode }, undefined).args).toEqual(flags)
    expect(qwen.acp.invocation(undefined, { mode }).args).toEqual(flags)
  })

  it('excludes everything that writes from a headless run in plan mode', () => {
    const { args } = headless.invocation({ prompt: '', mode: 'plan' }, undefined)
    expect(args).toEqual(
      expect.arrayContaining(['--exclude-tools=write_file', '--exclude-tools=run_shell_command']),
    )
    expect(args).not.toContain('--exclude-tools=read_file')
  })

  it.each([{ effort: 'high' }, { allow: ['Bash'], mode: 'plan' as const }])('refuses %j', (request) => {
    expect(() => headless.invocation({ prompt: '', ...request }, undefined)).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    )
  })

  it('passes the other options', () => {
    const request = { model: 'm', resume: 'r', fork: true, allow: ['Bash(ls *)'], extraArgs: ['--bare'] }
    expect(headless.invocation({ prompt: 'Hi', ...request }, undefined)).toMatchObject({ stdin: 'Hi' })
    expect(headless.invocation({ prompt: '', ...request }, undefined).args.slice(3)).toEqual([
      '--model',
      'm',
      '--resume',
      'r',
      '--fork-session',
      '--allowed-tools=Bash(ls *)',
      '--bare',
    ])
    expect(headless.invocation({ prompt: '', resume: 'latest' }, undefined).args).toContain('--continue')
  })

  it('keeps the servers of a run in a private file', async () => {
    const mcpServers = { one: { command: 'a' }, two: { url: 'http://127.0.0.1:1' } }
    const prepared = await headless.prepare!({ prompt: '', mcpServers, systemPrompt: 'Be brief.' }, place())
    expect(prepared.args?.slice(0, 3)).toEqual(['--system-prompt', 'Be brief.', '--mcp-config'])
    expect(JSON.parse(await readFile(prepared.args![3]!, 'utf8'))).toEqual({
      mcpServers: { one: { command: 'a' }, two: { httpUrl: 'http://127.0.0.1:1' } },
    })
    expect(await prepared.finish()).toEqual([])
    await expect(readFile(prepared.args![3]!)).rejects.toThrow('ENOENT')
  })
})

describe('the start mode', () => {
  it('is the asking mode, although the CLI itself starts in auto mode', async () => {
    expect(await qwen.startMode(place())).toEqual({ mode: 'default', request: 'default' })
    expect(await qwen.startMode(place(), 'auto')).toEqual({ mode: 'auto', request: 'auto' })
  })

  it('is that of the settings, of which a project cannot turn off approval', async () => {
    await write(user, { tools: { approvalMode: 'yolo' } })
    expect((await qwen.startMode(place())).mode).toBe('bypassPermissions')
    await write(project, { tools: { approvalMode: 'plan' } })
    expect((await qwen.startMode(place())).mode).toBe('plan')
    await write(user, {})
    await write(project, { tools: { approvalMode: 'auto' } })
    expect((await qwen.startMode(place())).mode).toBe('default')
  })
})

describe('plan mode', () => {
  it.each([
    [{ permissions: { allow: ['Edit'] } }, user],
    [{ permissions: { allow: ['Bash(ls)', 'mcp__desk__write'] } }, project],
    [{ tools: { allowed: ['exit_plan_mode'] } }, user],
  ])('is refused in every channel where %j is in %s', async (settings, file) => {
    await write(file, settings)
    expect(await qwen.acp.planObstacle!(place())).toMatchObject({ code: 'plan_not_read_only' })
    await expect(headless.prepare!({ prompt: '', mode: 'plan' }, place())).rejects.toMatchObject({
      code: 'unsupported',
    })
  })

  it.each([{}, { permissions: { allow: ['Read(a)', 'Bash(rm *)', 'run_shell_command', 'Grep'] } }])(
    'is available with %j',
    async (settings) => {
      await write(user, settings)
      expect(await qwen.acp.planObstacle!(place())).toBeUndefined()
    },
  )
})

describe('health', () => {
  it('finds missing credentials and disabled hooks', async () => {
    await write(user, { disableAllHooks: true })
    expect((await qwen.health(place())).map(({ code }) => code)).toEqual(['no_credentials', 'hooks_off'])
    expect(await qwen.hooks.obstacles!(place(), [])).toMatchObject([{ code: 'hooks_off' }])
    expect(await qwen.health({ ...place(), env: { OPENAI_API_KEY: 'x' } })).toHaveLength(1)
    await write(user, { modelProviders: { openai: [] } })
    expect(await qwen.health(place())).toEqual([])
  })
})

it('reads a call by way of another tool as the call itself', () => {
  const { toClaude } = qwen.acp
  const call = { name: 'mcp__desk__lookup', arguments: { word: 'a' } }
  expect(toClaude('tool_call', call)).toEqual({ name: 'mcp__desk__lookup', input: { word: 'a' } })
  expect(toClaude('tool_call', { name: 'todo_write' })).toEqual({ name: 'TodoWrite', input: {} })
  expect(toClaude('tool_call', {})).toEqual({ name: 'tool_call', input: {} })
})

const all = recordings(import.meta.url)
const works = all.filter(({ scenario }) => !scenario.startsWith('fault-'))
const fails = (scenario: string) => ['failing-shell', 'read-missing'].includes(scenario)

describe.each(works.map((each) => [each.scenario, each] as const))(
  'the stream of %s',
  (scenario, recording) => {
    it('has the texts and calls of the script, usage, and nothing unknown', () => {
      const messages = readMessages(headless, recording)
      const expected = scripted(recording)
      expect(getTexts(messages)).toEqual(expected.words)
      expect(getCalls(messages)).toEqual(
        expected.tools.map((name) => [name, fails(scenario) ? 'error' : 'success']),
      )
      const reader = reading(headless)
      const events = readEvents(reader, recording.lines)
      expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
      expect(events).toContainEqual(expect.objectContaining({ type: 'usage', scope: 'run' }))
      expect(reader.end({ code: 0, signal: null }, '')).toMatchObject({ ok: true, permissionDenials: [] })
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
])('%s fails with %s, and the error is no answer', (scenario, code) => {
  const { events, ...end } = failureIn(headless, all, scenario)
  expect(end).toEqual({ ok: false, code })
  expect(getTexts(fold(events)).join('')).not.toContain('API Error')
})

it('loses no damaged line of a stream', () => {
  const lines = works.flatMap((recording) => recording.lines)
  expect(firstLostLine(headless, lines, /"type":"stream_event"/)).toBeUndefined()
})

const sessions = recordedSessions(import.meta.url)

describe.each(sessions.map((each) => [`${each.scenario} (${each.way})`, each] as const))(
  'the transcript of %s',
  (_, session) => {
    it('has the texts and calls of the script, and an event for every line', async () => {
      const events = await transcriptEvents(qwen, session.path)
      const messages = fold(events)
      const expected = wholeScript(session)
      const [prompt] = messages.filter(({ role, context }) => role === 'user' && !context)
      expect(prompt).toMatchObject({ content: [{ type: 'text', text: session.script.prompt }] })
      if (!session.scenario.startsWith('fault-')) expect(getTexts(messages)).toEqual(expected.words)
      expect(getCalls(messages)).toEqual(
        expected.tools.map((name) => [name, fails(session.scenario) ? 'error' : 'success']),
      )
      expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
      const lines = (await readFile(session.path, 'utf8')).trimEnd().split('\n')
      expect(events.flatMap(({ raw }) => (raw === undefined ? [] : [raw]))).toHaveLength(lines.length)
    })
  },
)

describe('hooks', () => {
  const read = (...payloads: AgentRecord[]) =>
    readHookEvents(hooks.reader!, payloads).flatMap((each) => each ?? [])

  it('reads every recorded payload, and does not throw for damaged ones', () => {
    const recorded = recordedPayloads(import.meta.url)
    const payloads = recorded.map((line) => JSON.parse(line) as AgentRecord)
    expect(readHookEvents(hooks.reader!, payloads)).not.toContain(undefined)
    expect(firstFatalPayload(hooks.reader!, recorded)).toBeUndefined()
  })

  it('joins a call by the id of the model, and takes an empty prompt for work', () => {
    const call = { tool_name: 'edit', tool_input: {}, tool_use_id: 'own', tool_call_id: 'c' }
    expect(read({ hook_event_name: 'PreToolUse', ...call })).toMatchObject([{ entity: 'c', name: 'Edit' }])
    expect(read({ hook_event_name: 'UserPromptSubmit', prompt: 'Hi\n\n' })).toMatchObject([
      { content: [{ text: 'Hi' }] },
    ])
    expect(read({ hook_event_name: 'UserPromptSubmit', prompt: '' })).toMatchObject([{ status: 'working' }])
  })

  it('keeps both prompts of two processes that number them alike', () => {
    const payload = { hook_event_name: 'UserPromptSubmit', session_id: 's', prompt_id: 's########0' }
    const [first, second] = read({ ...payload, prompt: 'One' }, { ...payload, prompt: 'Two' })
    expect(first!.entity).not.toBe(second!.entity)
  })

  it('are installed for the user or the project', async () => {
    const target = async (scope: 'user' | 'project') => (await hooks.targets(place(), scope))[0]!.file
    expect(await target('user')).toBe(join(home, user))
    expect(await target('project')).toBe(join(home, project))
  })
})

it('forks a session by a copy, which is removed if it was not continued', async () => {
  const [old, other] = ['00000001-0000-4000-8000-000000000000', '00000002-0000-4000-8000-000000000000']
  const chats = join(home, '.qwen/projects/-work/chats')
  await mkdir(chats, { recursive: true })
  const line = (id: string) => `{"sessionId":"${id}","text":"\\"sessionId\\":\\"${old}\\""}\n`
  await writeFile(join(chats, `${old}.jsonl`), line(old).repeat(2))
  const fork = await qwen.acp.fork!(place(), old)
  const copy = join(chats, `${fork!.id}.jsonl`)
  expect(await readFile(copy, 'utf8')).toBe(line(fork!.id).repeat(2))
  await fork!.discard()
  await expect(readFile(copy)).rejects.toThrow('ENOENT')
  expect(await qwen.acp.fork!(place(), other)).toBeUndefined()
})

it('recognizes its own sessions, and not those of Claude Code', () => {
  const { isOwnRecord, isSession } = qwen.transcripts
  const record = { sessionId: 's', parentUuid: null, type: 'user' }
  expect(isOwnRecord({ ...record, message: { role: 'user', parts: [] } })).toBe(true)
  expect(isOwnRecord({ ...record, message: { role: 'user', content: 'Hi' } })).toBe(false)
  expect(isSession('-w/chats/00000001-0000-4000-8000-000000000000.jsonl')).toBe(true)
  expect(isSession('-w/chats/archive/00000001-0000-4000-8000-000000000000.jsonl')).toBe(true)
  expect(isSession('-w/subagents/00000001-0000-4000-8000-000000000000.jsonl')).toBe(false)
})
