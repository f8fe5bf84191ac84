import { type Event, fold, totalUsage } from '@remora/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getCalls, readEvents, reading, recordings, scripted, getTexts } from '../streams.test-data.ts'
import { type Dumped, TestDatabase, readDump, readChanges, withTimes } from './database.test-data.ts'
import { headless } from './headless.ts'
import { transcripts } from './transcripts.ts'

const recorded = recordings(import.meta.url)
const works = recorded.filter(({ scenario }) => !scenario.startsWith('fault-'))
const dumped = (scenario: string) =>
  withTimes(readDump(new URL(`fixtures/1.18.33/${scenario}/session.jsonl`, import.meta.url)))

describe.each(works.map((each) => [each.scenario, each] as const))('%s', (scenario, recording) => {
  const dump = dumped(scenario)

  it('reads the messages and calls of the scenario', () => {
    using database = new TestDatabase(dump)
    const { events, records } = readChanges(database.rows)
    const messages = fold(events)
    const expected = scripted(recording)
    expect(messages[0]).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: recording.script.prompt }],
    })
    const status = ['failing-shell', 'read-missing'].includes(scenario) ? 'error' : 'success'
    expect(getTexts(messages).slice(0, expected.words.length)).toEqual(expected.words)
    expect(getCalls(messages)).toEqual(expected.tools.map((name) => [name, status]))
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([])
    expect(JSON.stringify(messages)).not.toContain('"partial":true')
    const [session] = dump
    const input = Number(session!['tokens_input']) + Number(session!['tokens_cache_read'])
    expect(totalUsage(events)).toMatchObject({ inputTokens: input })
    for (const { events: made, raw } of records) expect(JSON.parse(raw!)).toEqual(made[0]!.raw)
  })

  it('gives the same events in small batches', () => {
    using database = new TestDatabase(dump)
    const whole = readChanges(database.rows)
    for (const most of [1, 2, 3]) expect(readChanges(database.rows, undefined, { most })).toEqual(whole)
    expect(readChanges(database.rows, whole.state).records).toEqual([])
  })

  it('merges with the events of the run into one conversation', () => {
    using database = new TestDatabase(dump)
    const fromDatabase = readChanges(database.rows).events
    const reader = reading(headless, { prompt: recording.script.prompt })
    const fromRun = readEvents(reader, recording.lines).map((event) => ({ ...event, agent: 'opencode' }))
    const alone = fold(fromDatabase)
    fc.assert(
      fc.property(fc.array(fc.boolean()), (turns) => {
        const [left, right] = [[...fromDatabase], [...fromRun]]
        const mixed: Event[] = []
        for (const turn of turns) mixed.push(...(turn ? left : right).splice(0, 1))
        const messages = fold([...mixed, ...left, ...right, ...fromRun])
        expect(messages.map(({ role, content }) => ({ role, content: timeless(content) }))).toEqual(
          alone.map(({ role, content }) => ({ role, content: timeless(content) })),
        )
      }),
      { numRuns: 20 },
    )
  })
})

/** Removes the times of blocks, which the live channel knows better. */
function timeless(content: readonly object[]): object[] {
  return content.map((block) => ({ ...block, startedAt: undefined, endedAt: undefined }))
}

describe('a database that changes', () => {
  /** Writes the rows of a recording like OpenCode: calls start first, texts are empty at first. */
  function growth(dump: readonly Dumped[]): Dumped[] {
    const parts = dump.filter(({ table }) => table === 'part')
    const messages = dump.filter(({ table }) => table === 'message')
    let time = Number(dump[0]!['time_created'])
    const at = (row: Dumped): Dumped => ({ ...row, time_updated: (time += 7) })
    return [
      ...dump.filter(({ table }) => table === 'session').map(at),
      ...messages.flatMap((message) => {
        const own = parts.filter((part) => part['message_id'] === message.id)
        const begun = own.flatMap((part) => {
          const data = part['data'] as { type: string; state?: { input: object } }
          if (data.type === 'text' || data.type === 'reasoning')
            return [at({ ...part, data: { ...data, text: '', time: {} } })]
          if (data.type !== 'tool') return [at(part)]
          const state = { status: 'pending', input: {}, raw: '' }
          const running = { status: 'running', input: data.state!.input, time: { start: time } }
          return [
            at({ ...part, data: { ...data, state } }),
            at({ ...part, data: { ...data, state: running } }),
          ]
        })
        return [at(message), ...begun, ...own.map(at), at(message)]
      }),
    ]
  }

  it.each([true, false])('is read as it grows, with a table of events: %s', (events) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...works.map(({ scenario }) => scenario)),
        fc.array(fc.record({ rows: fc.nat(4), most: fc.integer({ min: 1, max: 5 }) })),
        (scenario, steps) => {
          const changes = growth(dumped(scenario))
          using database = new TestDatabase([], { events })
          database.run('DROP TABLE session')
          const columns = Object.keys(changes[0]!).filter((name) => name !== 'table')
          database.run(
            `CREATE TABLE session (${columns.map((n) => (n === 'id' ? 'id text PRIMARY KEY' : n)).join()})`,
          )
          const emitted: Event[] = []
          let state: unknown
          let place = 0
          const read = (most?: number) => {
            const changed = readChanges(database.rows, state, most === undefined ? {} : { most })
            emitted.push(...changed.events)
            state = changed.state
          }
          for (const { rows, most } of steps) {
            for (const row of changes.slice(place, (place += rows))) database.put(row, events)
            read(most)
          }
          for (const row of changes.slice(place)) database.put(row, events)
          read()
          const scratch = fold(readChanges(database.rows).events)
          expect(withoutOriginals(fold(emitted))).toEqual(withoutOriginals(scratch))
        },
      ),
      { numRuns: 40 },
    )
  })

  const withoutOriginals = (messages: ReturnType<typeof fold>) =>
    messages.map(({ _original, ...message }) => message)

  const text = (id: string, message: string, data: object, time: number): Dumped => ({
    table: 'part',
    id,
    message_id: message,
    session_id: 'ses_00000000000000000000000001',
    time_created: time,
    time_updated: time,
    data,
  })

  it('reads changes of the same millisecond and late writes', () => {
    const dump = dumped('hello')
    using database = new TestDatabase(dump)
    const { state } = readChanges(database.rows)
    const last = dump.at(-1)!
    const time = Number(last['time_updated'])
    const message = String(last['message_id'])
    database.put(text('prt_9', message, { type: 'text', text: 'once', time: { end: 1 } }, time))
    const next = readChanges(database.rows, state)
    expect(next.events).toMatchObject([{ type: 'text', text: 'once', entity: 'prt_9' }])
    database.put(text('prt_9', message, { type: 'text', text: 'twice', time: { end: 1 } }, time))
    // Its time was set before the row waited for another process.
    database.put(text('prt_8', message, { type: 'text', text: 'late', time: { end: 1 } }, time - 4_000))
    const after = readChanges(database.rows, next.state)
    expect(after.events.map((event) => event.type === 'text' && event.text)).toEqual(['late', 'twice'])
    expect(readChanges(database.rows, after.state).records).toEqual([])
  })

  it('finds rows added after deletions, and imported rows', () => {
    const dump = dumped('hello')
    using database = new TestDatabase(dump)
    const message = String(dump.at(-1)!['message_id'])
    const { state } = readChanges(database.rows)
    const time = Number(dump.at(-1)!['time_updated']) + 60_000
    database.run('DELETE FROM part WHERE id = ?', dump.at(-1)!.id)
    database.put(text('prt_new', message, { type: 'text', text: 'new' }, time), false)
    const next = readChanges(database.rows, state)
    expect(next.events).toMatchObject([{ type: 'text', text: 'new' }])
    database.put(text('prt_more', message, { type: 'text', text: 'more' }, time), false)
    expect(readChanges(database.rows, next.state).events).toMatchObject([{ type: 'text', text: 'more' }])
  })

  it('emits the whole prompt again when a part of it is added', () => {
    const dump = dumped('hello')
    const prompt = dump.find(({ table }) => table === 'message')!
    const rest = dump.filter(({ table }) => table !== 'part')
    using database = new TestDatabase(rest)
    const first = readChanges(database.rows)
    expect(fold(first.events)).toEqual([])
    const time = Number(prompt['time_updated']) + 1_000
    database.put(text('prt_1', prompt.id, { type: 'text', text: 'Look' }, time))
    const second = readChanges(database.rows, first.state)
    const png = { type: 'file', mime: 'image/png', filename: 'a.png', url: 'data:image/png;base64,AA==' }
    database.put(text('prt_2', prompt.id, png, time + 1))
    database.put(text('prt_3', prompt.id, { type: 'text', text: 'Read it.', synthetic: true }, time + 2))
    const third = readChanges(database.rows, second.state)
    expect(third.records).toHaveLength(1)
    expect(fold([...first.events, ...second.events, ...third.events])).toMatchObject([
      {
        id: prompt.id,
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', name: 'a.png', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        ],
      },
      { id: 'prt_3', context: true, content: [{ type: 'text', text: 'Read it.' }] },
    ])
  })

  it('reports a revert and its undo', () => {
    const dump = dumped('two-turns')
    const session = dump.find(({ table }) => table === 'session')!
    const prompts = dump.filter(({ data }) => (data as { role?: string } | undefined)?.role === 'user')
    const to = prompts[1]!.id
    using database = new TestDatabase(dump)
    const first = readChanges(database.rows)
    database.put({ ...session, revert: JSON.stringify({ messageID: to, snapshot: 'x' }) })
    const second = readChanges(database.rows, first.state, { most: 1 })
    expect(second.events).toMatchObject([{ type: 'status', status: 'rewound', value: { to } }])
    expect(fold([...first.events, ...second.events])).toHaveLength(2)
    expect(readChanges(database.rows).events.at(-1)).toMatchObject({ status: 'rewound' })
    database.put({ ...session, revert: null })
    const third = readChanges(database.rows, second.state)
    const keep = dump.filter(({ table }) => table === 'message').map(({ id }) => id)
    expect(third.events).toMatchObject([{ status: 'rewound', value: { keep } }])
    expect(readChanges(database.rows, third.state).records).toEqual([])
  })
})

describe('sub-agents', () => {
  const child = 'ses_child'
  const family = (): Dumped[] => {
    const dump = dumped('shell')
    const time = (offset: number) => ({
      time_created: Number(dump[0]!['time_created']) + offset,
      time_updated: Number(dump[0]!['time_created']) + offset,
    })
    const renamed = dumped('hello').map((row): Dumped => ({
      ...row,
      id: row.table === 'session' ? child : `child_${row.id}`,
      ...(row.table === 'session'
        ? { parent_id: dump[0]!.id, title: 'Count (@general subagent)', agent: 'general' }
        : { session_id: child }),
      ...(row.table === 'part' ? { message_id: `child_${String(row['message_id'])}` } : {}),
      ...time(201 + Number(row['time_created']) - Number(dump[0]!['time_created'])),
    }))
    const task = dump.find(({ data }) => (data as { type?: string } | undefined)?.type === 'tool')!
    const state = { status: 'completed', input: {}, output: 'x', metadata: { sessionId: child } }
    const data = { type: 'tool', tool: 'task', callID: 'call_task', state }
    return [...dump, ...renamed, { ...task, id: `${task.id}a`, data, ...time(200) }]
  }

  it('work under the call that started them', () => {
    using database = new TestDatabase(family())
    const { events } = readChanges(database.rows)
    const root = family()[0]!.id
    expect(new Set(events.map(({ session }) => session))).toEqual(new Set([root]))
    const below = events.filter(({ parent }) => parent !== undefined)
    expect(new Set(below.map((event) => `${event.parent} ${event.origin.source}`))).toEqual(
      new Set([`call_task transcript/${child}`]),
    )
    expect(below[0]).toMatchObject({
      type: 'status',
      status: 'starting',
      detail: 'Count (@general subagent)',
    })
    const messages = fold(events)
    const place = messages.findIndex(({ content }) =>
      content.some((block) => block.type === 'tool_use' && block.name === 'Task'),
    )
    expect(messages.slice(place + 1, place + 3)).toMatchObject([
      { role: 'user', parent: 'call_task' },
      { role: 'assistant', parent: 'call_task', content: [{ text: 'Hello from the scripted model.' }] },
    ])
    expect([...transcripts.database!.sessions(database.rows)]).toEqual([
      { id: root, cwd: '/home/user/work', updatedAt: Number(family()[0]!['time_updated']) },
    ])
  })

  it('are read with their session only', () => {
    const other: Dumped = { ...family()[0]!, id: 'ses_other' }
    using database = new TestDatabase([...family(), other])
    const root = family()[0]!.id
    const { events, state } = readChanges(database.rows, undefined, { session: root })
    expect(events.filter(({ parent }) => parent === 'call_task').length).toBeGreaterThan(2)
    expect(events.map(({ entity }) => entity)).not.toContain('ses_other')
    expect(readChanges(database.rows, state, { session: root }).records).toEqual([])
  })

  it('are grouped by their id if their call is unknown', () => {
    using database = new TestDatabase(family().filter(({ id }) => !id.endsWith('a')))
    const parents = new Set(readChanges(database.rows).events.map(({ parent }) => parent))
    expect(parents).toEqual(new Set([undefined, child]))
  })
})

it('is recognised by its tables and resumed by its id', () => {
  expect(transcripts.isOwnRecord({ tables: ['project', 'session', 'message', 'part', 'x'] })).toBe(true)
  expect(transcripts.isOwnRecord({ tables: ['session', 'message'] })).toBe(false)
  expect(transcripts.isOwnRecord({})).toBe(false)
  expect(transcripts.isSession('opencode-dev.db')).toBe(true)
  expect(transcripts.format('opencode.db')).toBe('database')
  expect(transcripts.resume('ses_1')).toEqual({ args: ['--session', 'ses_1'] })
})

it('reads nothing from a database without sessions', () => {
  using database = new TestDatabase([])
  database.run('DROP TABLE session')
  database.run('CREATE TABLE session (id text PRIMARY KEY, parent_id, time_created, time_updated)')
  const { records, state } = readChanges(database.rows)
  expect(records).toEqual([])
  expect(readChanges(database.rows, state).state).toBe(state)
})
