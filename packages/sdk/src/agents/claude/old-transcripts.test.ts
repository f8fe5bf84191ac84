import { fold, totalUsage } from '@remora/protocol'
import { describe, expect, it } from 'vitest'
import { getCalls } from '../streams.test-data.ts'
import { readLines, seen } from './lines.test-data.ts'
import { transcripts } from './transcripts.ts'

// Small records of versions that are not pinned, and of cases that cannot be reproduced at will.

let count = 0
const record = (type: string, more: object) => ({
  parentUuid: null,
  isSidechain: false,
  type,
  uuid: `u${count++}`,
  timestamp: '2025-08-01T00:00:00.000Z',
  sessionId: 's',
  version: '1.0.70',
  cwd: '/w',
  ...more,
})
const user = (content: unknown, more: object = {}) =>
  record('user', { message: { role: 'user', content }, ...more })
const assistant = (content: unknown, message: object = {}, more: object = {}) =>
  record('assistant', {
    message: { id: 'm', role: 'assistant', model: 'opus', content, ...message },
    ...more,
  })
const system = (subtype: string, more: object) => record('system', { subtype, ...more })
const attachment = (attached: object) => record('attachment', { attachment: attached })
const text = (words: string) => [{ type: 'text', text: words }]
const from = (...records: object[]) =>
  readLines(
    transcripts,
    '/x/old.jsonl',
    records.map((each) => JSON.stringify(each)),
  ).flat()
const last = (each: object) => from(user('Go.'), each).at(-1)

describe('sub-agents in the file of the session', () => {
  const task = (id: string, prompt: string) => ({ type: 'tool_use', id, name: 'Task', input: { prompt } })

  it('belong to the calls with their prompts, also when they run at the same time', () => {
    const one = user('Look left.', { isSidechain: true, uuid: 'one' })
    const two = user('Look right.', { isSidechain: true, uuid: 'two' })
    const events = from(
      user('Look.'),
      assistant([task('left', 'Look left.'), task('right', 'Look right.')]),
      two,
      one,
      assistant(text('Right is nothing.'), { id: 'b' }, { isSidechain: true, parentUuid: 'two' }),
      assistant(text('Left is nothing.'), { id: 'a' }, { isSidechain: true, parentUuid: 'one' }),
      user([{ type: 'tool_result', tool_use_id: 'left', content: 'nothing' }]),
      user([{ type: 'tool_result', tool_use_id: 'right', content: 'nothing' }]),
      assistant(text('Nothing.'), { id: 'n' }),
    )
    const messages = fold(events)
    expect(seen(messages.filter(({ parent }) => parent === 'left'))).toEqual([
      ['left', 'user', 'Look left.'],
      ['left', 'assistant', 'Left is nothing.'],
    ])
    expect(seen(messages.filter(({ parent }) => parent === 'right')).at(-1)).toEqual([
      'right',
      'assistant',
      'Right is nothing.',
    ])
    expect(getCalls(messages)).toEqual([
      ['Task', 'success'],
      ['Task', 'success'],
    ])
  })

  it('use their own id where no call is known', () => {
    expect(from(user('x', { isSidechain: true, uuid: 'lost' }))[0]).toMatchObject({ parent: 'lost' })
    expect(from(user('x', { isSidechain: true, agentId: 'abc' }))[0]).toMatchObject({ parent: 'abc' })
  })
})

describe('tokens', () => {
  const usage = (input: number, output: number, more: object = {}) => ({
    usage: { input_tokens: input, output_tokens: output, ...more },
  })

  it('count once for a message, by the line with the largest counts', () => {
    const events = from(
      user('Go.'),
      assistant(text('a'), usage(10, 1)),
      assistant(text('b'), usage(10, 20)),
      assistant(text('c'), usage(10, 5)),
      assistant(text('d'), usage(15, 15)),
    )
    expect(totalUsage(events)).toMatchObject({ inputTokens: 10, outputTokens: 20 })
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(2)
  })

  it('include cache writes, by lifetime where it is given', () => {
    const cache = { cache_read_input_tokens: 100, cache_creation_input_tokens: 30 }
    expect(totalUsage(from(user('Go.'), assistant(text('a'), usage(10, 1, cache))))).toEqual({
      inputTokens: 140,
      outputTokens: 1,
      totalTokens: 141,
      cachedTokens: 100,
      cacheWriteTokens: 30,
    })
    const split = { cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 7 } }
    expect(totalUsage(from(user('Go.'), assistant(text('a'), usage(10, 1, split))))).toMatchObject({
      inputTokens: 27,
      cacheWriteTokens: 17,
    })
  })
})

describe('a record', () => {
  it.each<[string, object, object]>([
    [
      'a summary',
      { type: 'summary', summary: 'About it', leafUuid: 'x' },
      { type: 'session', title: 'About it' },
    ],
    [
      'progress',
      record('progress', { data: { type: 'bash_progress' } }),
      { status: 'working', detail: 'bash_progress' },
    ],
    ['a tag', { type: 'tag', tag: 'x', sessionId: 's' }, { type: 'session' }],
    [
      'another try',
      system('api_error', {
        error: { status: 529, error: { type: 'error', error: { message: 'Overloaded' } } },
        retryInMs: 512.4,
        retryAttempt: 1,
        maxRetries: 10,
      }),
      {
        status: 'retrying',
        detail: 'Overloaded',
        value: { attempt: 1, maxRetries: 10, httpStatus: 529, waitMs: 512 },
      },
    ],
    [
      'hooks that failed',
      system('stop_hook_summary', { hookErrors: ['no'] }),
      { type: 'error', severity: 'warning' },
    ],
    ['hooks that ran', system('stop_hook_summary', { hookErrors: [] }), { status: 'idle' }],
    [
      'a remark',
      system('informational', { content: 'Hm.', level: 'info' }),
      { type: 'message', role: 'system' },
    ],
    [
      'a warning',
      system('informational', { content: 'Hm.', level: 'warning' }),
      { type: 'error', message: 'Hm.' },
    ],
    ['a secret remark', system('informational', { content: 'Hm.', isMeta: true }), { type: 'session' }],
    [
      'an empty answer',
      system('local_command', { content: '<local-command-stdout></local-command-stdout>' }),
      { type: 'session' },
    ],
    [
      'a local remark',
      system('local_command', { content: 'plain' }),
      { role: 'system', content: text('plain') },
    ],
    [
      'a prompt typed meanwhile',
      attachment({ type: 'queued_command', prompt: 'And this.' }),
      { role: 'user', content: text('And this.') },
    ],
    [
      'news of a task',
      attachment({ type: 'queued_command', prompt: 'x', commandMode: 'task-notification' }),
      { context: true },
    ],
    ['a strange queue', attachment({ type: 'queued_command' }), { type: 'session' }],
    [
      'a hook that failed',
      attachment({ type: 'hook_non_blocking_error', hookName: 'Stop', stderr: 'no' }),
      { message: 'The hook Stop failed: no' },
    ],
    [
      'a hook that blocked',
      attachment({ type: 'hook_blocking_error', blockingError: { blockingError: 'no' } }),
      { message: 'The hook hook failed: no' },
    ],
    [
      'what a hook added',
      attachment({ type: 'hook_additional_context', content: ['a', 'b'] }),
      { context: true, content: text('a\nb') },
    ],
    [
      'a changed file',
      attachment({ type: 'edited_text_file', filename: 'a', snippet: 'b' }),
      { context: true, content: text('a\nb') },
    ],
    [
      'memory',
      attachment({ type: 'nested_memory', path: 'a', content: { content: 'b' } }),
      { context: true, content: text('a\nb') },
    ],
    [
      'a reminder',
      attachment({ type: 'critical_system_reminder', content: 'b' }),
      { context: true, content: text('b') },
    ],
    [
      'a folder',
      attachment({ type: 'directory', path: 'a', content: 'b' }),
      { context: true, content: text('a\nb') },
    ],
    [
      'a picture',
      attachment({
        type: 'file',
        filename: 'a',
        content: { type: 'image', file: { base64: 'AA==', type: 'image/png' } },
      }),
      { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }] },
    ],
    ['a list of tools', attachment({ type: 'deferred_tools_delta', addedNames: [] }), { type: 'session' }],
    [
      'a task that ended',
      user('<task-notification>x</task-notification>', { origin: { kind: 'task-notification' } }),
      { context: true },
    ],
    ['a reminder of old', user('<system-reminder>\nx\n</system-reminder>'), { context: true }],
    [
      'a command of old',
      user('<command-name>init</command-name>'),
      { content: [{ type: 'slash_command', command: '/init' }] },
    ],
    ['an open tag', user('<command-name>init'), { role: 'user', content: text('<command-name>init') }],
    ['a silent result', user('<local-command-stdout></local-command-stdout>'), { type: 'session' }],
    [
      'a prompt from an editor',
      user([...text('<ide_opened_file>x</ide_opened_file>'), ...text('Do it.')]),
      { content: text('Do it.') },
    ],
    [
      'nothing at all',
      assistant(text('No response requested.'), { model: '<synthetic>' }),
      { type: 'session' },
    ],
    [
      'hidden thoughts',
      assistant([{ type: 'redacted_thinking', data: 'x' }]),
      { type: 'message', role: 'assistant' },
    ],
    ['a new kind of block', assistant([{ type: 'hologram' }]), { type: 'unknown', what: 'assistant/block' }],
    ['words without blocks', assistant('Hello'), { type: 'text', text: 'Hello', final: true }],
    [
      'a search by the API',
      assistant([
        {
          type: 'web_search_tool_result',
          tool_use_id: 't',
          content: [{ type: 'web_search_result', url: 'u' }],
        },
      ]),
      { type: 'tool_result', entity: 't', status: 'success' },
    ],
  ])('reads %s', (_, each, event) => {
    expect(last(each)).toMatchObject(event)
  })

  it.each([
    { type: 'hologram' },
    {},
    system('hologram', {}),
    record('attachment', {}),
    { type: 'user' },
    { type: 'assistant' },
  ])('keeps an unknown record: %j', (each) => {
    expect(from(user('Go.'), each)).toHaveLength(2)
  })

  it('updates the version of the session', () => {
    const events = from(user('Go.'), user('On.', { version: '2.0.0', cwd: '/elsewhere' }))
    expect(events.filter(({ type }) => type === 'session')).toMatchObject([
      { version: '1.0.70', cwd: '/w' },
      { version: '2.0.0' },
    ])
    expect(events.at(-2)).not.toHaveProperty('cwd')
  })

  it('gets an entity where it has no uuid', () => {
    const events = from(user('Go.', { uuid: undefined }), user('On.', { uuid: undefined }))
    expect(new Set(events.filter(({ type }) => type === 'message').map(({ entity }) => entity)).size).toBe(2)
  })
})

it('does not rewind for several first prompts in an old file', () => {
  expect(seen(fold(from(user('One.'), user('Two.'))))).toHaveLength(2)
})

it('reads answers whose prompt never follows', () => {
  const lost = Array.from({ length: 50 }, (_, index) =>
    assistant(text(`${index}`), {}, { parentUuid: 'gone' }),
  )
  expect(fold(from(...lost)).length).toBeGreaterThan(0)
})

describe('an answer that is written before its prompt', () => {
  const prompt = user('Go.', { uuid: 'go' })
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }
  const roles = (...records: object[]) =>
    fold(from(...records)).flatMap(({ role, context }) => (context ? [] : [role]))

  it('follows it, also with a tool result between them', () => {
    const answer = assistant([call], { id: 'a' }, { uuid: 'x', parentUuid: 'go' })
    const result = user([{ type: 'tool_result', tool_use_id: 't', content: 'a' }], { parentUuid: 'x' })
    expect(roles(answer, result, prompt)).toEqual(['user', 'assistant'])
  })

  it('follows it, also after a reminder of the CLI', () => {
    const reminder = user('<local-command-caveat>x</local-command-caveat>', { isMeta: true })
    const answer = assistant(text('Done.'), { id: 'a' }, { parentUuid: 'go' })
    expect(roles(reminder, answer, prompt)).toEqual(['user', 'assistant'])
  })
})
