import { describe, expect, it } from 'vitest'
import { type Dumped, TestDatabase, readDump, readChanges, withTimes } from './database.test-data.ts'

const hello = withTimes(readDump(new URL('fixtures/1.18.33/hello/session.jsonl', import.meta.url)))

describe('rows of every kind', () => {
  const read = (message: object, ...parts: object[]) => {
    const [session] = hello
    const time = { time_created: 1, time_updated: 1 }
    const row = { session_id: session!.id, ...time }
    using database = new TestDatabase([
      session!,
      { table: 'message', id: 'm', data: message, ...row },
      ...parts.map((data, index): Dumped => ({
        table: 'part',
        id: `p${index}`,
        message_id: 'm',
        data,
        ...row,
      })),
    ])
    return readChanges(database.rows).events.slice(1)
  }
  const assistant = { role: 'assistant', providerID: 'a', modelID: 'b', time: { created: 5 } }

  it.each<[string, object, object]>([
    [
      'a thought',
      { type: 'reasoning', text: 'Hm', time: { start: 7, end: 8 } },
      { type: 'thinking', text: 'Hm', final: true, at: 7 },
    ],
    ['an unfinished text', { type: 'text', text: 'He', time: { start: 7 } }, { type: 'text', text: 'He' }],
    [
      'a running call',
      {
        type: 'tool',
        tool: 'bash',
        callID: 'c',
        state: { status: 'running', input: { command: 'ls' }, time: { start: 7 } },
      },
      { type: 'tool_use', entity: 'c', name: 'Bash', at: 7 },
    ],
    [
      'another try',
      { type: 'retry', attempt: 2, error: { name: 'APIError', data: { message: 'Too many' } } },
      { status: 'retrying', detail: 'Too many', value: { attempt: 2 } },
    ],
    ['a patch', { type: 'patch', hash: 'x', files: [] }, { status: 'working', detail: 'patch' }],
    ['a new kind', { type: 'hologram' }, { type: 'unknown', what: 'part/hologram' }],
    ['a broken call', { type: 'tool' }, { type: 'unknown', what: 'part/tool' }],
    ['a broken text', { type: 'text' }, { type: 'unknown', what: 'part/text' }],
  ])('%s', (_name, part, expected) => {
    const [begun, fields] = read(assistant, part)
    expect(begun).toMatchObject({ type: 'message', role: 'assistant', entity: 'm', model: 'a/b', at: 5 })
    expect(fields).toMatchObject(expected)
    expect('final' in fields!).toBe('final' in expected)
  })

  it('reads an unfinished text in a finished message', () => {
    const over = { ...assistant, time: { created: 5, completed: 6 } }
    expect(read(over, { type: 'text', text: 'x' })[1]).toMatchObject({ final: true })
  })

  it('reads an aborted and a failed answer', () => {
    const failed = (error: object) => read({ ...assistant, error })[1]
    expect(failed({ name: 'MessageAbortedError', data: { message: 'Aborted' } })).toMatchObject({
      type: 'error',
      code: 'aborted',
      severity: 'warning',
    })
    expect(failed({ name: 'APIError', data: { message: 'x', statusCode: 401 } })).toMatchObject({
      code: 'auth',
    })
  })

  it('reads prompts that the user did not write', () => {
    expect(read({ role: 'user' }, { type: 'compaction', auto: true })).toMatchObject([
      { type: 'status', status: 'compacting', value: { auto: true } },
    ])
    expect(read({ role: 'user' }, { type: 'hologram' })).toMatchObject([{ type: 'unknown' }])
    expect(
      read({ role: 'user' }, { type: 'subtask', command: 'review', prompt: 'Look.' }, { type: 'subtask' }),
    ).toMatchObject([
      {
        content: [
          { type: 'slash_command', command: 'review', message: 'Look.' },
          { type: 'text', text: '' },
        ],
      },
    ])
  })

  it('keeps invalid JSON', () => {
    using database = new TestDatabase(
      hello.map((row) => (row.table === 'session' ? row : { ...row, data: '{"type":' })),
    )
    const { events, records } = readChanges(database.rows)
    expect(events.slice(1).map(({ type }) => type)).toEqual(events.slice(1).map(() => 'unknown'))
    expect(events).toHaveLength(hello.length)
    expect(JSON.parse(records[1]!.raw!)).toMatchObject({ table: 'message', data: '{"type":' })
  })
})
