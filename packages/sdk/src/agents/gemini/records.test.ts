import { mkdirSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { type Message, fold, getMessageText } from '@remora/protocol'
import { sessionState } from '@remora/protocol/fold'
import { describe, expect, it } from 'vitest'
import { sessions } from '../../api/sessions.ts'
import { homeWith } from '../transcripts.test-data.ts'
import { gemini } from './index.ts'
import { readInPieces } from './records.test-data.ts'

const header = { sessionId: 's-1', projectHash: 'p', startTime: at(0), lastUpdated: at(0), kind: 'main' }

function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
}

const user = (id: string, content: unknown, second = 1) => ({
  id,
  timestamp: at(second),
  type: 'user',
  content,
})
const model = (id: string, content: unknown, more: object = {}, second = 2) => ({
  id,
  timestamp: at(second),
  type: 'gemini',
  content,
  ...more,
})
const context = user('ctx', [{ text: '<session_context>\n- **Workspace Directories:**\n  - /code/here\n' }])

/** Reads the messages of a file with these records. */
const readMessages = (records: readonly object[]) =>
  fold(
    readInPieces(
      records.map((record) => JSON.stringify(record)),
      [],
    ),
  )
const brief = (messages: readonly Message[]) =>
  messages.map(({ role, content, context: isContext }) => [
    isContext ? 'context' : role,
    ...content.map((block) =>
      block.type === 'text' ? block.text : block.type === 'thinking' ? block.thinking : block.type,
    ),
  ])

it('applies later lines to earlier messages', () => {
  const talk = [header, { $set: { messages: [context] } }, user('1', 'One'), model('2', 'First')]
  const again = [user('3', 'Two', 3), model('4', 'Second', {}, 4)]
  expect(brief(readMessages([...talk, ...again])).slice(1)).toEqual([
    ['user', 'One'],
    ['assistant', 'First'],
    ['user', 'Two'],
    ['assistant', 'Second'],
  ])
  // Rewound and sent again with another text.
  expect(
    brief(readMessages([...talk, ...again, { $rewindTo: '3' }, user('5', 'Three', 5)])).slice(1),
  ).toEqual([
    ['user', 'One'],
    ['assistant', 'First'],
    ['user', 'Three'],
  ])
  expect(brief(readMessages([...talk, { $rewindTo: 'nobody' }]))).toEqual([])
  // The list again, with a changed message. Messages that it omits were shown and stay.
  const list = { $set: { messages: [context, user('1', 'One'), model('2', [{ text: 'Better' }])] } }
  expect(brief(readMessages([...talk, ...again, list])).slice(1)).toEqual([
    ['user', 'One'],
    ['assistant', 'Better'],
    ['user', 'Two'],
    ['assistant', 'Second'],
  ])
  // The full message again.
  expect(brief(readMessages([...talk, model('2', 'First, longer')])).at(-1)).toEqual([
    'assistant',
    'First, longer',
  ])
})

it('ignores the list that a start of the CLI writes before it has read the file', () => {
  const talk = [header, user('1', 'One'), model('2', 'First')]
  const started = [...talk, header, { $set: { messages: [context] } }]
  expect(brief(readMessages(started)).map(([role]) => role)).toEqual(['user', 'assistant', 'context'])
})

it('shows notices and errors as system messages and separates the CLI’s own context', () => {
  const messages = readMessages([
    header,
    { $set: { messages: [context] } },
    user('1', 'One'),
    { id: '2', timestamp: at(3), type: 'info', content: 'Request cancelled.' },
    { id: '3', timestamp: at(4), type: 'warning', content: [{ text: 'Careful.' }] },
    { id: '4', timestamp: at(5), type: 'error', content: '[API Error: quota]' },
    { $set: { messages: [context, user('1', 'One')] } },
  ])
  expect(brief(messages).slice(1)).toEqual([
    ['user', 'One'],
    ['system', 'Request cancelled.'],
    ['system', 'Careful.'],
    ['system', '[API Error: quota]'],
  ])
  expect(messages[0]).toMatchObject({ role: 'user', context: true })
})

it('reads content of every shape', () => {
  const png = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
  const pdf = { fileData: { mimeType: 'application/pdf', fileUri: 'gs://a/b.pdf' } }
  const messages = readMessages([
    header,
    user('1', [{ text: 'Look' }, png, pdf, { executableCode: { code: '1' } }, 'and a word']),
    model('2', { text: 'A part' }),
    user('3', '/memory show all', 3),
    model('4', [{ text: 'thinking', thought: true }, { text: 'said' }, png], {}, 4),
    { ...user('5', [{ text: 'Files of @a.txt: …' }], 5), displayContent: [{ text: '@a.txt' }] },
  ])
  expect(messages.map(({ content }) => content)).toEqual([
    [
      { type: 'text', text: 'Look' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'document', source: { type: 'url', url: 'gs://a/b.pdf', media_type: 'application/pdf' } },
      { type: 'text', text: '{"executableCode":{"code":"1"}}' },
      { type: 'text', text: 'and a word' },
    ],
    [{ type: 'text', text: 'A part' }],
    [{ type: 'slash_command', command: '/memory', args: 'show all' }],
    [
      { type: 'thinking', thinking: 'thinking' },
      { type: 'text', text: 'said' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
    [{ type: 'text', text: '@a.txt' }],
  ])
})

const response = (id: string, body: object, more: object = {}) => ({
  functionResponse: { id, name: 'read_file', response: body, ...more },
})
const call = (id: string, more: object = {}) => ({
  id,
  name: 'read_file',
  args: { file_path: id },
  status: 'success',
  timestamp: at(2),
  ...more,
})

it('reports the status of each call for any number of results', () => {
  const refused = 'Error: [Operation Cancelled] Reason: User did not allow tool call'
  const messages = readMessages([
    header,
    user('1', 'Go'),
    model('2', '', {
      toolCalls: [
        call('a', { result: [response('a', { output: 'A' }), response('b', { output: 'B' })] }),
        call('b', { result: [response('a', { output: 'A' }), response('b', { output: 'B' })] }),
        call('c', { status: 'cancelled', result: [response('c', { error: '[Operation Cancelled]' })] }),
        call('d', { status: 'cancelled', result: [response('d', { error: refused })] }),
        call('e', { status: 'error', result: [response('e', { error: 'Tool "read_file" not found.' })] }),
        call('f', { status: 'error', result: 'plain', resultDisplay: 'plain' }),
        call('g', { status: 'executing' }),
        call('h', {
          result: [response('h', { output: 'H' }), { inlineData: { mimeType: 'image/png', data: 'A' } }],
        }),
      ],
    }),
    // The response for the model has fewer details than the calls reported before.
    user('3', [response('a', { output: 'less' }), response('z', { error: 'late' })], 3),
  ])
  const results = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'))
  expect(results.map(({ tool_use_id: id, status, content }) => [id, status, content])).toEqual([
    ['a', 'success', 'A'],
    ['b', 'success', 'B'],
    ['c', 'cancelled', '[Operation Cancelled]'],
    ['d', 'denied', refused],
    ['e', 'denied', 'Tool "read_file" not found.'],
    ['f', 'error', 'plain'],
    [
      'h',
      'success',
      [
        { type: 'text', text: 'H' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A' } },
      ],
    ],
    ['z', 'error', 'late'],
  ])
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
})

it('orders the calls collected in one record by their times', () => {
  const collected = model('2', '', { toolCalls: [call('a'), call('b', { timestamp: at(7) })] }, 2)
  const document = {
    ...header,
    messages: [
      user('1', 'One'),
      collected,
      model('3', 'First', {}, 4),
      user('4', 'Two', 6),
      model('5', 'Second', {}, 8),
    ],
  }
  expect(brief(readMessages([document]))).toEqual([
    ['user', 'One'],
    ['assistant', 'tool_use', 'tool_result'],
    ['assistant', 'First'],
    ['user', 'Two'],
    ['assistant', 'tool_use', 'tool_result'],
    ['assistant', 'Second'],
  ])
})

it('shows a refused call after the CLI has rewritten its history without it and with other ids', () => {
  const call = { id: 'c', name: 'run_shell_command', args: { command: 'rm x' } }
  const response = (error: string) => [
    { functionResponse: { id: 'c', name: call.name, response: { error } } },
  ]
  const refused = response('[Operation Cancelled] Reason: User denied execution.')
  const anew = [user('8', [{ text: '<session_context>\nToday\n</session_context>' }, { text: 'One' }], 9)]
  const lines = [
    header,
    user('1', 'One'),
    model('2', 'First'),
    model('3', '', { toolCalls: [{ ...call, result: refused, status: 'cancelled' }] }, 3),
    { id: '4', timestamp: at(4), type: 'info', content: 'Request cancelled.' },
    ...anew,
    model('9', [{ text: 'First' }], {}, 9),
    { $set: { messages: [...anew, model('9', [{ text: 'First' }], {}, 9)] } },
  ]
  const messages = readMessages(lines)
  expect(brief(messages)).toEqual([
    ['user', 'One'],
    ['assistant', 'First'],
    ['assistant', 'tool_use', 'tool_result'],
    ['system', 'Request cancelled.'],
  ])
  expect(messages[2]!.content[1]).toMatchObject({ status: 'denied' })
  const events = readInPieces(
    lines.slice(0, 5).map((line) => JSON.stringify(line)),
    [],
  )
  expect(sessionState(events, Date.parse(at(5)))).toEqual({ state: 'idle', since: Date.parse(at(4)) })
})

it('separates the user’s text from the context that a hook put before it', () => {
  const text = '<hook_context>Be brief.</hook_context>\n\nOne'
  expect(brief(readMessages([header, user('1', [{ text }])]))).toEqual([['user', 'One']])
})

describe('a home', () => {
  const write = (root: string, name: string, records: readonly object[]) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    const lines = records.map((record) => JSON.stringify(record))
    writeFileSync(join(root, name), name.endsWith('.json') ? lines[0]! : `${lines.join('\n')}\n`)
  }
  const talk = [header, user('1', 'One'), model('2', 'First', { tokens: { input: 7, output: 3 } })]

  it('lists one session for all files of an id, and none for a start without messages', async () => {
    using home = homeWith(gemini, [])
    const { root } = home
    const place = { home: home.home, env: {} }
    expect(await sessions.list(place)).toEqual([])
    expect(await sessions.messages({ agent: 'gemini' }, place)).toEqual([])
    expect(await sessions.find('s-1', place)).toBeUndefined()
    write(root, 'work/chats/session-2026-01-01T00-00-s-1.json', [{ ...header, messages: talk.slice(1) }])
    write(root, 'work/chats/session-2026-01-01T00-00-s-1.jsonl', [...talk, user('3', 'Two', 5)])
    write(root, 'work/chats/session-2026-01-02T00-00-s-1.jsonl', [header, { $set: { messages: [context] } }])
    write(root, 'work/chats/session-2026-01-03T00-00-stub.jsonl', [
      { ...header, sessionId: 'stub' },
      { $set: { messages: [context] } },
    ])
    writeFileSync(join(root, 'work', '.project_root'), '/code/here')
    const [found, ...others] = await sessions.list(place)
    expect(others).toEqual([])
    expect(found).toMatchObject({ id: 's-1', cwd: '/code/here', messages: 3, usage: { inputTokens: 7 } })
    expect(found!.files).toHaveLength(3)
    const messages = await sessions.messages('s-1', place)
    expect(brief(messages).filter(([role]) => role !== 'context')).toEqual([
      ['user', 'One'],
      ['assistant', 'First'],
      ['user', 'Two'],
    ])
    expect(await sessions.messages({ agent: 'gemini', cwd: '/code' }, place)).toEqual(messages)
    expect(await sessions.list({ ...place, cwd: '/code/her' })).toEqual([])
  })

  it('recognizes a folder by its hash, as old versions name it', async () => {
    using home = homeWith(gemini, [])
    const hash = createHash('sha256').update('/code/there').digest('hex')
    write(home.root, `${hash}/chats/session-2026-01-01T00-00-s-1.json`, [
      { ...header, messages: talk.slice(1) },
    ])
    const place = { home: home.home, env: {} }
    expect(await sessions.list({ ...place, cwd: '/code/there' })).toHaveLength(1)
    expect(await sessions.list({ ...place, cwd: '/code/elsewhere' })).toEqual([])
  })

  it('puts the work of a sub-agent under the call that started it', async () => {
    using home = homeWith(gemini, [])
    const invoke = { ...call('call-1', { agentId: 'agent-1' }), name: 'invoke_agent' }
    write(home.root, 'work/chats/session-2026-01-01T00-00-s-1.jsonl', [
      header,
      user('1', 'Go'),
      model('2', '', { toolCalls: [invoke] }),
      model('3', 'Done.', {}, 9),
    ])
    write(home.root, 'work/chats/s-1/agent-1.jsonl', [
      { ...header, sessionId: 'agent-1', kind: 'subagent' },
      user('11', 'Look around', 3),
      model('12', 'I looked.', {}, 4),
    ])
    const place = { home: home.home, env: {} }
    expect(await sessions.list(place)).toHaveLength(1)
    const messages = await sessions.messages('s-1', place)
    expect(messages.map((message) => [message.parent, getMessageText(message)])).toEqual([
      [undefined, 'Go'],
      [undefined, ''],
      ['call-1', 'Look around'],
      ['call-1', 'I looked.'],
      [undefined, 'Done.'],
    ])
  })
})
