import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Bench } from '../../ledger/src/contract/engine.test-data.ts'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import { type PostgresEngine, startEngine } from './engine.test-data.ts'

let engine: PostgresEngine
let bench: Bench
beforeAll(async () => {
  engine = await startEngine()
  bench = new Bench(engine)
})
afterEach(() => bench.clear())
afterAll(() => engine?.server.stop())

it('derives index and calls once while six machines derive them and one writes', async () => {
  const place = await engine.place()
  const nodes = await Promise.all(Array.from({ length: 6 }, () => bench.open(place)))
  const [writer] = nodes
  const count = 600
  for (let from = 0; from < count; from += 100) {
    const story = new Story({ session: `s${from % 700}`, source: `f${from}` })
    const records = Array.from({ length: 100 }, (_, index) => from + index).flatMap((number) => [
      ...story.says(`gecko number${number} ${'filler '.repeat(400)}`, `m${number}`),
      ...story.record({ type: 'tool_use', entity: `c${number}`, name: 'Bash', input: { number } }),
      ...story.record({ type: 'tool_result', entity: `c${number}`, status: 'error', content: 'no' }),
    ])
    await writer!.append(records)
  }
  const head = await writer!.head()
  const late = new Story({ session: 'late', source: 'late' })
  const writing = (async () => {
    for (let round = 0; round < 20; round++) await writer!.append(late.says(`late${round}`, `l${round}`))
  })()
  const progress = await Promise.all(nodes.map((node) => node.indexText()))
  const counts = await Promise.all(nodes.map((node) => node.countCalls()))
  await writing
  for (const { done, total } of progress) {
    expect(done).toBe(total)
    expect(done).toBeGreaterThanOrEqual(head.seq)
  }
  for (const each of counts) expect(each).toEqual([{ calls: count, failed: count }])
  expect(await writer!.search({ text: 'gecko', limit: 5000 })).toHaveLength(count)
  expect(await writer!.search({ text: '"number599"' })).toHaveLength(1)
  const calls = await writer!.calls()
  expect(new Set(calls.map(({ entity }) => entity)).size).toBe(count)
  expect(new Set(calls.map(({ id }) => id)).size).toBe(count)
})

it('leaves nothing of a forgotten session while others derive index and calls from it', async () => {
  const place = await engine.place()
  const nodes = await Promise.all(Array.from({ length: 3 }, () => bench.open(place)))
  const [first, ...others] = nodes
  for (let round = 0; round < 6; round++) {
    const story = new Story({ session: `gone ${round}` })
    const records = Array.from({ length: 300 }, (_, index) => [
      ...story.says(`ocelot ${'words '.repeat(200)}`, `m${index}`),
      ...story.record({ type: 'tool_use', entity: `c${index}`, name: 'Bash', input: { index } }),
    ]).flat()
    await first!.append(records)
    await Promise.all([
      first!.forget(story.key),
      ...others.map(async (node) => {
        await node.indexText()
        await node.calls()
      }),
    ])
  }
  await first!.indexText()
  expect(await first!.search({ text: 'ocelot' })).toEqual([])
  expect(await first!.countCalls()).toEqual([])
  const schema = decodeURIComponent(place).split('search_path=')[1]!
  for (const table of [
    'events',
    'words',
    'documents',
    'calls',
    'call_names',
    'origins',
    'sources',
    'messages',
  ])
    expect(await engine.server.query(`SELECT count(*) FROM ${schema}.${table}`, 'contract'), table).toBe(
      '0\n',
    )
})

it('drops empty months, and no others', async () => {
  const place = await engine.place()
  const ledger = await bench.open(place)
  const schema = decodeURIComponent(place).split('search_path=')[1]!
  const query = (sql: string): Promise<string> =>
    engine.server.query(`SET search_path = ${schema}; ${sql}`, 'contract')
  for (const [table, from, until] of [
    ['events_2020_01', Date.UTC(2020, 0), Date.UTC(2020, 1)],
    ['events_2020_02', Date.UTC(2020, 1), Date.UTC(2020, 2)],
  ] as const)
    await query(`CREATE TABLE ${table} PARTITION OF events FOR VALUES FROM (${from}) TO (${until})`)
  const [old, kept] = [new Story({ session: 'old' }), new Story({ session: 'kept' })]
  await ledger.append([...old.prompt('a'), ...kept.prompt('b')])
  // Pretends that they were stored then.
  await query(`UPDATE events SET stored_at = ${Date.UTC(2020, 0, 9)} WHERE seq = 1`)
  await query(`UPDATE events SET stored_at = ${Date.UTC(2020, 1, 9)} WHERE seq = 2`)
  const months = async (): Promise<string[]> =>
    (
      await query(`SELECT relname FROM pg_class WHERE relname LIKE 'events\\_2020\\___' AND relnamespace =
        '${schema}'::regnamespace AND relkind = 'r' ORDER BY 1`)
    )
      .trim()
      .split('\n')
  expect(await months()).toEqual(['events_2020_01', 'events_2020_02'])
  await ledger.archive([old.key], 1)
  expect(await ledger.prune({ before: Date.now() })).toMatchObject({ sessions: 1, events: 1 })
  expect(await months()).toEqual(['events_2020_02'])
  expect((await ledger.read()).events.map(({ event }) => event.session)).toEqual(['kept'])
  expect((await ledger.append(kept.prompt('c'))).added).toBe(1)
})
