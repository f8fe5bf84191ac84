import type { Event, EventRecord } from '@remora/protocol'
import { callEntity } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { Bench } from './engine.test-data.ts'
import { Story, start } from './story.test-data.ts'

type Status = 'success' | 'error' | 'denied' | 'cancelled' | 'timeout'

/** A call as a channel with ids reports it. */
function call(story: Story, entity: string, command: string, status?: Status, content = ''): EventRecord[] {
  const input = { command }
  return story.record(
    { type: 'tool_use', entity, name: 'Bash', input, native: { name: 'shell', input } },
    ...(status ? [{ type: 'tool_result', entity, status, content } as const] : []),
  )
}

/** The same call as a channel without ids reports it. */
function nameless(story: Story, command: string, status?: Status, content = ''): EventRecord[] {
  return call(story, callEntity('shell', { command }), command, status, content)
}

const hooks = (session = 'one') => new Story({ channel: 'hooks', source: 'spool', session })
const file = (session = 'one') => new Story({ session })

export function testCalls(bench: Bench): void {
  it('is empty without calls', async () => {
    const ledger = await bench.open()
    await ledger.append(file().prompt('Hello'))
    expect(await ledger.calls()).toEqual([])
    expect(await ledger.countCalls()).toEqual([])
  })

  it('returns a call with its end and the record that reported it', async () => {
    const ledger = await bench.open()
    const story = file()
    await ledger.append([
      ...story.record({ type: 'session', entity: 'one', cwd: '/home/me/work' }),
      ...story.prompt('List them'),
    ])
    const use = story.event({ type: 'tool_use', entity: 'c', name: 'Bash', input: { command: 'ls' } })
    const end = story.event({ type: 'tool_result', entity: 'c', status: 'error', content: 'no' })
    await ledger.append([{ events: [{ ...use, raw: { a: 1 } }] }])
    const running = { tool: 'Bash', native: 'Bash', input: { command: 'ls' }, turn: 1, cwd: '/home/me/work' }
    expect(await ledger.calls({ records: true })).toEqual([
      {
        ...story.key,
        ...running,
        id: expect.any(Number),
        entity: 'c',
        channel: 'transcripts',
        at: use.at,
        status: 'running',
        failed: false,
        record: { a: 1 },
      },
    ])
    await ledger.append([{ events: [{ ...end, raw: { b: 2 } }] }])
    expect(await ledger.calls({ records: true })).toMatchObject([
      { ...running, status: 'error', failed: true, error: 'no', endedAt: end.at, record: { b: 2 } },
    ])
  })

  it('finds the record of a call whose start and end are in one record', async () => {
    const ledger = await bench.open()
    const story = hooks()
    const at = (key: string, each: Event): Event => ({
      ...each,
      origin: { channel: 'hooks', source: 'spool', key },
    })
    const events = [
      { ...at('7.0', story.event({ type: 'session', entity: 'one' })), raw: { a: 1 } },
      at('7.1', story.event({ type: 'tool_use', entity: 'c', name: 'Bash', input: { command: 'ls' } })),
      at('7.2', story.event({ type: 'tool_result', entity: 'c', status: 'error', content: 'no' })),
    ]
    await ledger.append([{ events }])
    expect(await ledger.calls({ records: true })).toMatchObject([{ record: { a: 1 } }])
  })

  it.each([
    ['the file first', (live: EventRecord[], transcript: EventRecord[]) => [...transcript, ...live]],
    ['the hooks first', (live: EventRecord[], transcript: EventRecord[]) => [...live, ...transcript]],
    [
      'both at once',
      (live: EventRecord[], transcript: EventRecord[]) =>
        transcript.flatMap((record, index) => [record, ...live.slice(index, index + 1)]),
    ],
  ])('counts a call once that two channels report, one of them without ids: %s', async (_, mix) => {
    const ledger = await bench.open()
    const [live, transcript] = [hooks(), file()]
    const records = mix(
      [
        ...nameless(live, 'ls', 'success'),
        ...nameless(live, 'make', 'error', 'hook says no'),
        ...nameless(live, 'ls', 'success'),
        ...nameless(live, 'rm'),
      ],
      [
        ...call(transcript, 'a', 'ls', 'success'),
        ...call(transcript, 'b', 'make', 'error', 'file says no'),
        ...call(transcript, 'c', 'ls', 'error'),
        ...call(transcript, 'd', 'rm', 'denied'),
      ],
    )
    for (const record of records) await ledger.append([record])
    const calls = await ledger.calls()
    expect(calls.map(({ entity, status, error }) => [entity, status, error])).toEqual([
      ['a', 'success', undefined],
      ['b', 'error', 'file says no'],
      ['c', 'error', ''],
      ['d', 'denied', ''],
    ])
    expect(new Set(calls.map(({ channel }) => channel))).toEqual(new Set(['transcripts']))
    expect(await ledger.countCalls()).toEqual([{ calls: 4, failed: 3 }])
  })

  it('uses the earliest time of all channels', async () => {
    const ledger = await bench.open()
    const [transcript, live] = [file(), hooks()]
    const use = (at: number) =>
      ({ type: 'tool_use', entity: 'c', name: 'Bash', input: { command: 'ls' }, at }) as const
    await ledger.append([
      ...transcript.record(use(start + 5000)),
      ...live.record(use(start + 2000)),
      ...transcript.record(use(start + 9000)),
    ])
    expect(await ledger.calls()).toMatchObject([{ at: start + 2000, channel: 'transcripts' }])
  })

  it('assigns results to equal calls without ids in order, and to parallel calls of other sessions', async () => {
    const ledger = await bench.open()
    const [one, two] = [hooks('one'), hooks('two')]
    const begun = [...nameless(one, 'ls'), ...nameless(one, 'ls'), ...nameless(two, 'ls')]
    const entity = callEntity('shell', { command: 'ls' })
    await ledger.append(begun)
    await ledger.append(two.record({ type: 'tool_result', entity, status: 'denied' }))
    await ledger.append(one.record({ type: 'tool_result', entity, status: 'error' }))
    const statuses = (await ledger.calls()).map(({ session, status }) => `${session} ${status}`)
    expect(statuses.toSorted()).toEqual(['one error', 'one running', 'two denied'])
  })

  it('does not confuse call ids that a run numbers by itself', async () => {
    const ledger = await bench.open()
    const run = new Story({ channel: 'headless', source: 'run-1' })
    await ledger.append([
      ...call(run, 'run-1/item_0', 'ls'),
      ...call(run, 'run-1/item_0', 'ls', 'error', 'as it ran'),
      ...call(file(), 'a', 'ls', 'error', 'as it was written'),
    ])
    expect(await ledger.calls()).toMatchObject([{ entity: 'a', error: 'as it was written' }])
  })

  it('counts calls that a fork copied once, and a later call with the same id separately', async () => {
    const ledger = await bench.open()
    await ledger.append([...call(file('one'), 'a', 'ls', 'error'), ...call(file('fork'), 'a', 'ls', 'error')])
    expect(await ledger.countCalls()).toEqual([{ calls: 1, failed: 1 }])
    const later = file('later')
    later.prompt('')
    await ledger.append(call(later, 'a', 'ls', 'success'))
    expect(await ledger.countCalls()).toEqual([{ calls: 2, failed: 1 }])
    await ledger.forget(file('one').key)
    const left = (await ledger.calls()).map(({ session, status }) => `${session} ${status}`)
    expect(left).toEqual(['fork error', 'later success'])
  })

  it('derives the turn from the prompts of the best channel', async () => {
    const ledger = await bench.open()
    const [transcript, live] = [file(), hooks()]
    await ledger.append([
      ...call(transcript, 'a', 'before'),
      ...transcript.prompt('One'),
      ...call(transcript, 'b', 'first', 'success'),
      ...transcript.record({ type: 'message', entity: 'x', role: 'user', content: [], context: true }),
      ...transcript.prompt('Two'),
      ...call(transcript, 'c', 'second'),
      ...live.prompt('One'),
      ...live.prompt('Two'),
    ])
    expect((await ledger.calls()).map(({ turn }) => turn)).toEqual([0, 1, 2])
  })

  it('filters and counts calls', async () => {
    const ledger = await bench.open()
    const gemini = new Story({ agent: 'gemini', session: 'g' })
    const claude = file()
    const day = 86_400_000
    await ledger.append([
      ...claude.record({ type: 'session', entity: 's', cwd: '/home/me/work' }),
      ...call(claude, 'a', 'ls', 'error'),
      ...gemini.record(
        { type: 'session', entity: 's', cwd: '/home/me/workshop' },
        { type: 'tool_use', entity: 'r', name: 'Read', input: {}, at: start + day },
        { type: 'tool_result', entity: 'r', status: 'timeout', at: start + day },
        { type: 'tool_use', entity: 'r2', name: 'Read', input: {}, at: start + day + 1 },
        { type: 'tool_result', entity: 'r2', status: 'success', at: start + day + 1 },
      ),
    ])
    const chosen = async (query: Parameters<typeof ledger.calls>[0]) =>
      (await ledger.calls(query)).map(({ entity }) => entity)
    expect(await chosen({})).toEqual(['a', 'r', 'r2'])
    expect(await chosen({ agent: 'gemini' })).toEqual(['r', 'r2'])
    expect(await chosen({ session: gemini.key })).toEqual(['r', 'r2'])
    expect(await chosen({ cwd: '/home/me/work' })).toEqual(['a'])
    expect(await chosen({ tool: 'read' })).toEqual(['r', 'r2'])
    expect(await chosen({ tool: 'shell' })).toEqual(['a'])
    expect(await chosen({ failed: true })).toEqual(['a', 'r'])
    expect(await chosen({ failed: false })).toEqual(['r2'])
    expect(await chosen({ since: start + day })).toEqual(['r', 'r2'])
    expect(await chosen({ until: start + day })).toEqual(['a'])
    expect(await chosen({ limit: 2 })).toEqual(['r', 'r2'])
    expect(await ledger.countCalls({ by: ['tool'] })).toEqual([
      { tool: 'Read', calls: 2, failed: 1 },
      { tool: 'Bash', calls: 1, failed: 1 },
    ])
    expect(await ledger.countCalls({ by: ['day', 'agent'], failed: true })).toEqual([
      { day: '2026-05-17', agent: 'claude', calls: 1, failed: 1 },
      { day: '2026-05-18', agent: 'gemini', calls: 1, failed: 1 },
    ])
    expect(await ledger.countCalls({ by: ['project', 'session'], agent: 'claude' })).toEqual([
      { agent: 'claude', project: '/home/me/work', session: 'one', calls: 1, failed: 1 },
    ])
    expect(await ledger.countCalls({ by: ['day'], utcOffset: 13 * 60, agent: 'claude' })).toEqual([
      { day: '2026-05-18', calls: 1, failed: 1 },
    ])
  })

  it('keeps the beginning and the end of long values, and handles many calls', async () => {
    const ledger = await bench.open()
    const story = file()
    const long = `begin ${'x'.repeat(100_000)} end`
    await ledger.append(
      Array.from({ length: 2500 }, (_, index) => call(story, `c${index}`, `${index}`, 'success')).flat(),
    )
    await ledger.append(call(story, 'long', long, 'error', long))
    const cut = expect.stringMatching(/^begin x{900,2100} … x{900,2100} end$/)
    expect(await ledger.calls({ failed: true })).toMatchObject([{ input: { command: cut }, error: cut }])
    expect(await ledger.countCalls()).toEqual([{ calls: 2501, failed: 1 }])
  })

  it('forgets calls with their session', async () => {
    const ledger = await bench.open()
    await ledger.append([...call(file(), 'a', 'ls', 'error'), ...call(file('two'), 'b', 'ls', 'error')])
    expect(await ledger.countCalls()).toEqual([{ calls: 2, failed: 2 }])
    await ledger.forget(file().key)
    expect((await ledger.calls()).map(({ session }) => session)).toEqual(['two'])
  })
}
