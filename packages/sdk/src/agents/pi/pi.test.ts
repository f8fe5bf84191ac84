import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Event, fold, getMessageText } from '@remora/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodePrompt } from '../../contract/prompt-escapes.ts'
import type { AgentRecord } from '../../events/read-record.ts'
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
import { pi } from './index.ts'
import { toClaude, toStatus } from './tools.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-pi-'))
  await mkdir(join(home, '.pi/agent'), { recursive: true })
})
afterEach(() => rm(home, { recursive: true, force: true }))
const place = () => ({ env: {}, home, cwd: home, version: '0.73.1' })

describe('the command line', () => {
  const args = (request: object) => headless.invocation({ prompt: '', ...request }, undefined).args

  it('leaves out the tools that a mode does not have, and the code of a project', () => {
    expect(args({ mode: 'bypassPermissions' })).toEqual(['--mode', 'json', '--print'])
    const guard = ['--offline', '--no-extensions', '--tools']
    expect(args({ mode: 'acceptEdits' }).slice(3)).toEqual([...guard, 'read,edit,write,grep,find,ls'])
    expect(args({ mode: 'plan' }).slice(3)).toEqual([...guard, 'read,grep,find,ls'])
  })

  it.each([
    { mode: 'default' },
    { mode: 'auto' },
    { effort: 'huge' },
    { sessionId: 's' },
    { allow: ['bash'] },
    { mcpServers: {} },
    { media: [{ path: '/a.png', kind: 'image', mediaType: 'image/png' }] },
    { resume: 'latest', fork: true },
  ])('refuses %j', (request) => {
    expect(() => args(request)).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })

  it('passes the other options', () => {
    const more = { model: 'p/m', effort: 'low', systemPrompt: 'Be brief.', extraArgs: ['--verbose'] }
    expect(args({ ...more, resume: 'r' }).slice(3)).toEqual([
      '--model',
      'p/m',
      '--thinking',
      'low',
      '--session',
      'r',
      '--system-prompt',
      'Be brief.',
      '--verbose',
    ])
    expect(args({ resume: 'r', fork: true }).slice(3)).toEqual(['--fork', 'r'])
    expect(args({ resume: 'latest' }).slice(3)).toEqual(['--continue'])
    expect(pi.transcripts.resume('r').args).toEqual(['--session', 'r'])
  })

  it('gives a prompt as an argument where pi would trim its escape', () => {
    const prompt = encodePrompt('/skill:x', 'text', { title: 'pi', escapes: headless.escapes })
    expect(headless.invocation({ prompt }, undefined)).toEqual({
      args: ['--mode', 'json', '--print', ' /skill:x'],
    })
    expect(headless.invocation({ prompt: '-v' }, undefined)).toMatchObject({ stdin: '-v' })
  })
})

it('starts in the mode without approvals, since pi has no other', async () => {
  expect(await pi.startMode(place())).toEqual({ mode: 'bypassPermissions' })
  expect(await pi.startMode(place(), 'plan')).toEqual({ mode: 'plan', request: 'plan' })
})

describe('tools', () => {
  it.each([
    ['read', { path: 'a', limit: 1 }, 'Read', { file_path: 'a', limit: 1 }],
    ['bash', { command: 'ls', timeout: 5 }, 'Bash', { command: 'ls', timeout: 5000 }],
    ['write', { path: 'a', content: '' }, 'Write', { file_path: 'a', content: '' }],
    ['find', { pattern: '*' }, 'Glob', { pattern: '*' }],
    ['grep', { pattern: 'a', ignoreCase: true }, 'Grep', { pattern: 'a', '-i': true }],
    ['edit', { path: 'a', edits: 1 }, 'Edit', { file_path: 'a', edits: 1 }],
    [
      'edit',
      { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] },
      'Edit',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
    ],
    [
      'edit',
      { path: 'a', edits: [{ oldText: 'x', newText: 'y' }, null] },
      'MultiEdit',
      { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y' }, {}] },
    ],
    ['edit', { path: 'a', oldText: 'x' }, 'Edit', { file_path: 'a', old_string: 'x' }],
    ['mine', [], 'mine', []],
  ])('reads %s of %j', (native, input, name, expected) => {
    expect(toClaude(native, input)).toEqual({ name, input: expected })
  })

  it.each([
    ['Tool write not found', 'denied'],
    ['Tool execution was blocked', 'denied'],
    ['Tool grep not found', 'error'],
    ['Tool toString not found', 'error'],
    ['some output\n\nCommand aborted', 'cancelled'],
    ['Operation aborted', 'cancelled'],
    ['Command timed out after 1.5 seconds', 'timeout'],
    ['Command aborted\n\nCommand exited with code 1', 'error'],
  ])('ends a failed call with %j as %s', (output, status) => {
    expect(toStatus(true, output)).toBe(status)
    expect(toStatus(false, output)).toBe('success')
  })
})

it('misses credentials until there is a login, a key or a provider', async () => {
  const write = (name: string, text: string) => writeFile(join(home, '.pi/agent', name), text)
  const codes = async (env = {}) => (await pi.health({ ...place(), env })).map(({ code }) => code)
  await write('auth.json', '{}')
  expect(await codes()).toEqual(['no_credentials'])
  expect(await codes({ GROQ_API_KEY: 'x' })).toEqual([])
  await write('models.json', '{"providers":{"mine":{}}}')
  expect(await codes()).toEqual([])
  expect(await codes({ PI_CODING_AGENT_DIR: '~/other' })).toEqual(['no_credentials'])
  await write('auth.json', '{"anthropic":{}}')
  await write('models.json', '{')
  expect(await codes()).toHaveLength(1)
})

const all = recordings(import.meta.url)
const works = all.filter(({ scenario }) => !scenario.startsWith('fault-'))
const fails = (scenario: string) => ['failing-shell', 'read-missing'].includes(scenario)

describe.each(works.map((each) => [`${each.version} ${each.scenario}`, each] as const))(
  'the stream of %s',
  (_, recording) => {
    it('has the texts and calls of the script, usage, and nothing unknown', () => {
      const messages = readMessages(headless, recording)
      const { words, tools } = scripted(recording)
      const status = fails(recording.scenario) ? 'error' : 'success'
      expect(getTexts(messages)).toEqual(words)
      expect(getCalls(messages)).toEqual(tools.map((name) => [name, status]))
      const reader = reading(headless)
      const events = readEvents(reader, recording.lines)
      expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
      expect(events).toContainEqual(expect.objectContaining({ type: 'usage', scope: 'message' }))
      expect(events).toContainEqual(expect.objectContaining({ status: 'mode', value: 'bypassPermissions' }))
      const end = { ok: true, stopReason: 'end_turn' }
      expect(reader.end({ code: 0, signal: null }, '')).toMatchObject(end)
    })
  },
)

describe('a run that fails', () => {
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
  ])('ends for %s with %s, although pi ends with code 0', (scenario, code) => {
    expect(all.find((each) => each.scenario === scenario)?.code).toBe(0)
    expect(failureIn(headless, all, scenario)).toMatchObject({ ok: false, code })
  })

  it('reports each retry, and the text of each attempt as cut off', () => {
    const { events } = failureIn(headless, all, 'fault-cut')
    const attempts = events.flatMap((event) =>
      event.type === 'status' && event.status === 'retrying' ? [event.value] : [],
    )
    expect(attempts).toMatchObject([1, 2, 3].map((attempt) => ({ attempt, maxRetries: 3 })))
    const texts = fold(events).flatMap(({ content }) => content.filter(({ type }) => type === 'text'))
    expect(texts).toContainEqual({ type: 'text', text: 'This text has no', partial: true })
  })

  it.each([
    [1, '\u001B[31mError: Model "a" not found.\u001B[39m\n', 'Model "a" not found.'],
    [0, '', 'pi ended with code 0 and without an answer'],
    [
      0,
      'Session found in different project: /w\nFork this session into current directory? [y/N] Aborted.',
      'The session belongs to another folder: /w',
    ],
  ])('with code %s has a reason', (code, stderr, message) => {
    expect(reading(headless).end({ code, signal: null }, stderr)).toEqual({ ok: false, failure: { message } })
  })
})

it('keeps no copy of the message with each piece of its text', () => {
  const { lines } = all.find(({ scenario }) => scenario === 'long-text')!
  const raws = readEvents(reading(headless), lines).map(({ raw }) => raw as AgentRecord | undefined)
  const pieces = raws.filter((raw) => raw?.['type'] === 'message_update')
  expect(pieces.length).toBeGreaterThan(10)
  expect(Math.max(...pieces.map((raw) => JSON.stringify(raw).length))).toBeLessThan(200)
})

it('loses no damaged line of a stream', () => {
  const lines = works.flatMap((recording) => recording.lines)
  const silent =
    /"type":"(?:agent_|turn_|message_end|tool_execution_[su]|auto_retry_end|message_start"?.*"toolResult|message_update)/
  expect(firstLostLine(headless, lines, silent)).toBeUndefined()
})

const sessions = recordedSessions(import.meta.url)

describe.each(sessions.map((each) => [`${each.version} ${each.scenario}`, each] as const))(
  'the transcript of %s',
  (_, session) => {
    it('has the texts and calls of the script, and an event for every line', async () => {
      const events = await transcriptEvents(pi, session.path)
      const messages = fold(events)
      const { words, tools } = wholeScript(session)
      const [prompt] = messages.filter(({ role, context }) => role === 'user' && !context)
      expect(prompt).toMatchObject({ content: [{ type: 'text', text: session.script.prompt }] })
      if (!session.scenario.startsWith('fault-')) expect(getTexts(messages)).toEqual(words)
      const status = fails(session.scenario) ? 'error' : 'success'
      expect(getCalls(messages)).toEqual(tools.map((name) => [name, status]))
      expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
      const lines = (await readFile(session.path, 'utf8')).trimEnd().split('\n')
      expect(events.flatMap(({ raw }) => (raw === undefined ? [] : [raw]))).toHaveLength(lines.length)
    })

    it('has the same story as the stream, whichever is read first', async () => {
      const recording = all.find(
        ({ version, scenario }) => version === session.version && scenario === session.scenario,
      )!
      const read = await transcriptEvents(pi, session.path)
      const live = readEvents(reading(headless), recording.lines).map((event) => ({
        ...event,
        agent: 'pi',
      }))
      const summarize = (events: readonly Event[]) =>
        fold(events).map(({ role, content }) => [
          role,
          content.map((block) => (block.type === 'text' ? [block.text, block.partial] : block.type)),
        ])
      expect(summarize([...live, ...read])).toEqual(summarize([...read, ...live]))
      if (session.scenario !== 'two-turns')
        expect(getTexts(fold([...live, ...read]))).toEqual(getTexts(fold(read)))
    })
  },
)

describe('a transcript', () => {
  let count = 0
  const entry = (id: string, parentId: string | null, rest: object) => ({
    id,
    parentId,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, count++)).toISOString(),
    ...rest,
  })
  const message = (id: string, parentId: string | null, content: object) =>
    entry(id, parentId, { type: 'message', message: content })
  const user = (id: string, parentId: string | null, text = id) =>
    message(id, parentId, { role: 'user', content: [{ type: 'text', text }] })
  const answer = (id: string, parentId: string, more: object = {}) =>
    message(id, parentId, {
      role: 'assistant',
      content: [{ type: 'text', text: id }],
      stopReason: 'stop',
      ...more,
    })
  const header = { type: 'session', version: 3, id: 's', cwd: '/w' }
  async function read(...records: readonly object[]): Promise<Event[]> {
    const file = join(home, 'session.jsonl')
    const lines = [header, ...records].map((record) => JSON.stringify(record))
    await writeFile(file, `${lines.join('\n')}\n`)
    return transcriptEvents(pi, file)
  }
  const listShown = (events: readonly Event[]) => fold(events).map((each) => getMessageText(each))

  it('shows the branch on which the session is', async () => {
    const first = [user('u1', null), answer('a1', 'u1'), user('u2', 'a1'), answer('a2', 'u2')]
    expect(listShown(await read(...first))).toEqual(['u1', 'a1', 'u2', 'a2'])
    const second = [...first, user('u3', 'a1'), answer('a3', 'u3')]
    expect(listShown(await read(...second))).toEqual(['u1', 'a1', 'u3', 'a3'])
    // Back to the first branch, past the entries that are not shown.
    const label = entry('l1', 'a2', { type: 'label', targetId: 'u1', label: 'here' })
    const third = [...second, label, user('u4', 'l1'), answer('a4', 'u4')]
    expect(listShown(await read(...third))).toEqual(['u1', 'a1', 'u2', 'a2', 'u4', 'a4'])
    // To the start.
    expect(listShown(await read(...third, user('u5', null)))).toEqual(['u5'])
  })

  it('goes back to before an entry that is not shown', async () => {
    const records = [
      user('u1', null),
      answer('a1', 'u1'),
      entry('m1', 'a1', { type: 'model_change', provider: 'p', modelId: 'm' }),
    ]
    expect(listShown(await read(...records, user('u2', 'a1')))).toEqual(['u1', 'a1', 'u2'])
    const summary = entry('b1', 'u1', { type: 'branch_summary', fromId: 'a1', summary: 'About a1.' })
    const events = await read(...records, summary, user('u2', 'b1'))
    expect(listShown(events)).toEqual(['u1', 'About a1.', 'u2'])
    expect(fold(events).map(({ context }) => context)).toEqual([undefined, true, undefined])
  })

  it('leaves both branches visible if the way back is unknown, or a circle', async () => {
    const events = await read(user('u1', null), answer('a1', 'u1'), user('u2', 'gone'))
    expect(listShown(events)).toEqual(['u1', 'a1', 'u2'])
    const circle = [user('u1', 'u2'), user('u2', 'u1'), user('u3', 'u1')]
    expect(listShown(await read(...circle))).toEqual(['u1', 'u3'])
  })

  it('marks an interrupted answer, and cancels its calls', async () => {
    const events = await read(
      user('u1', null),
      answer('a1', 'u1', {
        content: [
          { type: 'text', text: 'I will' },
          { type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'l' } },
        ],
        stopReason: 'aborted',
        errorMessage: 'Request was aborted.',
      }),
    )
    expect(getCalls(fold(events))).toEqual([['Bash', 'cancelled']])
    expect(events).toContainEqual(expect.objectContaining({ status: 'idle', detail: 'interrupted' }))
    const cut = await read(user('u1', null), answer('a1', 'u1', { stopReason: 'aborted' }))
    expect(fold(cut).at(-1)?.content).toEqual([{ type: 'text', text: 'a1', partial: true }])
  })

  it('reads what is neither a prompt nor an answer', async () => {
    const events = await read(
      entry('n', null, { type: 'session_info', name: 'My work' }),
      entry('t', 'n', { type: 'thinking_level_change', thinkingLevel: 'low' }),
      user('u1', 't', ' /help me'),
      message('b', 'u1', { role: 'bashExecution', command: 'false', output: 'x\n', exitCode: 1 }),
      message('h', 'b', { role: 'hookMessage', content: 'shown', display: true }),
      entry('c', 'h', { type: 'custom_message', content: 'for the model', display: false }),
      entry('k', 'c', { type: 'compaction', summary: 'So far.' }),
      entry('d', 'k', { type: 'custom', customType: 'x' }),
      message('i', 'd', {
        role: 'toolResult',
        toolCallId: 'c1',
        content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
      }),
      answer('e', 'i', { content: [{ type: 'new' }], stopReason: 'error', errorMessage: '500 Broken' }),
      message('x', 'e', { role: 'new' }),
      entry('y', 'x', { type: 'new' }),
    )
    expect(events).toContainEqual(expect.objectContaining({ type: 'session', title: 'My work' }))
    const [prompt, ...notes] = fold(events)
    expect(getMessageText(prompt!)).toBe('/help me')
    expect(notes.map((each) => [each.role, getMessageText(each)])).toEqual(
      expect.arrayContaining([
        ['system', '$ false\nx\nexit code 1'],
        ['system', 'shown'],
        ['user', 'for the model'],
        ['user', 'So far.'],
        ['system', '500 Broken'],
      ]),
    )
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'error', code: 'overloaded', severity: 'warning' }),
    )
    expect(events.flatMap((event) => (event.type === 'unknown' ? [event.what] : []))).toEqual([
      'assistant/block',
      'message',
      'new',
    ])
  })

  it('counts the input that came from a cache, and no unknown price', async () => {
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cost: { total: 0.5 } }
    const about = { provider: 'p', model: 'm' }
    const events = await read(user('u1', null), answer('a1', 'u1', { ...about, usage }))
    expect(events.find(({ type }) => type === 'usage')).toMatchObject({
      model: 'p/m',
      costUsd: 0.5,
      usage: { inputTokens: 8, outputTokens: 2, cachedTokens: 3, cacheWriteTokens: 4, totalTokens: 10 },
    })
    const free = answer('a1', 'u1', { usage: { ...usage, cost: { total: 0 } } })
    expect(await read(user('u1', null), free)).not.toContainEqual(
      expect.objectContaining({ costUsd: expect.any(Number) as number }),
    )
  })

  it('of the oldest format has no tree', async () => {
    const old = ['one', 'two'].map((text) => ({ type: 'message', message: { role: 'user', content: text } }))
    expect(listShown(await read(...old))).toEqual(['one', 'two'])
  })
})

it('recognizes its own sessions', () => {
  const { isOwnRecord, isSession, root } = pi.transcripts
  expect(isOwnRecord(JSON.parse(works[0]!.lines[0]!) as AgentRecord)).toBe(true)
  expect(isOwnRecord({ type: 'session', id: 's' })).toBe(false)
  const name = '2026-01-01T00-00-00-000Z_00000001-0000-4000-8000-000000000000.jsonl'
  expect([`--w--/${name}`, name, `--w--/x/${name}`, 'auth.json'].map(isSession)).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(root({ ...place(), env: { PI_CODING_AGENT_SESSION_DIR: '~/s' } })).toBe(join(home, 's'))
})
