import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type ArchiveOptions, type Ledger, type MonthStore, archiveMonths, openLedger } from '@remora/ledger'
import { Bench } from '../../ledger/src/contract/engine.test-data.ts'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import { fillLedger } from './move.test-data.ts'
import { type PostgresEngine, startEngine } from './engine.test-data.ts'
import { readAllEvents, digestSessions } from '../../ledger/src/digest-sessions.ts'

let engine: PostgresEngine
let bench: Bench
let folder: string
let place: string
let ledger: Ledger
const day = 86_400_000
beforeAll(async () => {
  engine = await startEngine()
  bench = new Bench(engine)
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-months-'))
  place = await engine.place()
  ledger = await bench.open(place)
})
afterEach(async () => {
  await bench.clear()
  await rm(folder, { recursive: true, force: true })
})
afterAll(() => engine?.server.stop())

const query = (sql: string): Promise<string> => {
  const schema = decodeURIComponent(place).split('search_path=')[1]!
  return engine.server.query(`SET search_path = ${schema}; ${sql}`, 'contract')
}

/** Pretends that all events, or those that match, were stored in a month of 2020. */
async function happenedIn(month: 1 | 2, condition = 'TRUE'): Promise<void> {
  const [from, until] = [Date.UTC(2020, month - 1), Date.UTC(2020, month)]
  const table = `events_2020_0${month}`
  if ((await query(`SELECT to_regclass('${table}')`)).trim() === '')
    await query(`CREATE TABLE ${table} PARTITION OF events FOR VALUES FROM (${from}) TO (${until})`)
  await query(`UPDATE events SET stored_at = ${from + day} WHERE (${condition}) AND stored_at > ${until}`)
}

const archive = (more: Partial<ArchiveOptions> = {}, of: Ledger = ledger) =>
  archiveMonths(of, { folder, keepMs: 30 * day, machine: 'desk', ...more })

async function openFile(month: string): Promise<Ledger> {
  return openLedger({ file: join(folder, `remora-${month}.db`) })
}

const tables = async (): Promise<string[]> =>
  (
    await query(
      `SELECT relname FROM pg_class WHERE relname LIKE 'events\\_2020\\___' AND relkind = 'r' AND relnamespace =
       current_schema()::regnamespace ORDER BY 1`,
    )
  )
    .trim()
    .split('\n')
    .filter(Boolean)

it('moves months into files, compares them, and drops them', async () => {
  await fillLedger(ledger, 120)
  const before = await digestSessions(readAllEvents(ledger))
  const { events } = await ledger.size()
  const half = Math.floor(events / 2)
  const [sessions, usage] = [await ledger.sessions({ hidden: true }), await ledger.usage({ by: ['session'] })]
  await ledger.indexText()
  await happenedIn(1, `seq <= ${half}`)
  await happenedIn(2)
  const now = new Story({ session: 's0', source: 'now' })
  await ledger.append(now.says('gecko today', 'now'))
  expect(await ledger.months!.list()).toMatchObject([
    { month: '2020-01', events: half },
    { month: '2020-02', events: events - half },
  ])

  const archives = await archive()
  expect(archives).toMatchObject([
    {
      month: '2020-01',
      events: half,
      machine: 'desk',
      dropped: true,
      digest: expect.stringMatching(/^\w{64}$/),
    },
    { month: '2020-02', events: events - half, file: join(folder, 'remora-2020-02.db') },
  ])
  expect(await ledger.months!.archives()).toEqual(archives)
  expect(await tables()).toEqual([])
  expect(await readdir(folder)).toEqual(['remora-2020-01.db', 'remora-2020-02.db'])
  expect((await stat(archives[0]!.file)).mode & 0o777).toBe(0o600)

  // All events are in the two files, and none of them in the ledger.
  const files = [await openFile('2020-01'), await openFile('2020-02')]
  async function* pages() {
    for (const file of files) yield* readAllEvents(file)
  }
  expect(await digestSessions(pages())).toEqual(before)
  expect((await ledger.read()).events.map(({ event }) => event.entity)).toEqual(['now/text/0'])
  expect(files[0]!.archiveOf).toEqual({ epoch: ledger.epoch, month: '2020-01' })
  expect(await files[0]!.search({ text: '"word7"' })).toHaveLength(1)
  expect(await files[0]!.session({ agent: 'claude', session: 's0' })).toMatchObject({ name: 'Mine' })
  for (const file of files) {
    await expect(file.append(now.prompt('no'))).rejects.toMatchObject({ code: 'unsupported' })
    await file.close()
  }

  // Derived data stays, except the full-text index.
  expect((await ledger.sessions({ hidden: true })).map(({ session }) => session).sort()).toEqual(
    sessions.map(({ session }) => session).sort(),
  )
  expect(await ledger.usage({ by: ['session'] })).toEqual(usage)
  expect(await ledger.search({ text: '"word7"' })).toEqual([])
  await ledger.indexText()
  expect(await ledger.search({ text: 'gecko' })).toHaveLength(1)
  expect(await query('SELECT count(*) FROM words')).toBe('1\n')
  expect(await archive()).toEqual([])
})

it('keeps calls that were not derived yet', async () => {
  const story = new Story()
  await ledger.append([
    ...story.record({ type: 'tool_use', entity: 'c', name: 'Bash', input: {} }),
    ...story.record({ type: 'tool_result', entity: 'c', status: 'error', content: 'no' }),
  ])
  await happenedIn(1)
  await archive()
  expect(await ledger.calls()).toMatchObject([{ tool: 'Bash', status: 'error' }])
  await ledger.forget(story.key)
  expect(await ledger.calls()).toEqual([])
  expect(await ledger.months!.archives(story.key)).toEqual([])
})

it('does not store archived events again, but stores new ones of their sessions', async () => {
  const story = new Story()
  const records = [...story.prompt('one'), ...story.says('two'), ...story.says('three')]
  await ledger.append(records)
  await happenedIn(1)
  await archive()
  const other = await bench.open(place)
  for (const each of [ledger, other]) expect((await each.append(records)).added).toBe(0)
  const more = story.says('four')
  expect((await other.append([...records, ...more])).added).toBe(1)
  expect((await ledger.read({ session: story.key })).events).toHaveLength(1)
  expect(await ledger.session(story.key)).toMatchObject({ messages: 4, firstPrompt: 'one' })
  expect(await ledger.months!.archives(story.key)).toMatchObject([{ month: '2020-01', events: 3 }])
  expect(await ledger.months!.archives({ agent: 'claude', session: 'other' })).toEqual([])
})

it('continues after any interruption', async () => {
  await fillLedger(ledger, 500)
  const { events } = await ledger.size()
  await happenedIn(1)
  const steps = ['copying', 'comparing', 'dropping'] as const
  for (const step of steps) {
    const stop = new AbortController()
    const onProgress: ArchiveOptions['onProgress'] = (progress) => {
      if (progress.step === step) stop.abort(new Error(`stopped while ${step}`))
      // The last moment before it is dropped.
      if (step === 'dropping') stop.signal.throwIfAborted()
    }
    await expect(archive({ signal: stop.signal, onProgress })).rejects.toThrow(`stopped while ${step}`)
    expect(await tables()).toEqual(['events_2020_01'])
  }
  // It is detached already, so it is archived however long months are kept now.
  expect(await ledger.read()).toMatchObject({ events: [] })
  expect(await archive({ keepMs: 100 * 365 * day })).toMatchObject([{ events, dropped: true }])
  expect(await tables()).toEqual([])
  expect(await ledger.months!.archives()).toHaveLength(1)
  const file = await openFile('2020-01')
  expect((await file.size()).events).toBe(events)
  await file.close()
})

it('loses no concurrent append and keeps no forgotten session', async () => {
  const [story, late, gone] = ['kept', 'late', 'gone'].map((session) => new Story({ session }))
  await ledger.append([...story!.prompt('one'), ...gone!.prompt('to be forgotten')])
  await happenedIn(1)
  const months: MonthStore = {
    ...ledger.months!,
    async detach(month) {
      // A transaction from before the end of the month stores now; another process forgets a session.
      await ledger.append(late!.prompt('late'))
      await happenedIn(1, `seq = ${(await ledger.head()).seq}`)
      await ledger.forget(gone!.key)
      await ledger.months!.detach(month)
    },
  }
  const busy = new Proxy(ledger, {
    get(target, name) {
      const value: unknown = name === 'months' ? months : Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  expect(await archive({}, busy)).toMatchObject([{ events: 2, sessions: 2 }])
  const file = await openFile('2020-01')
  expect((await file.sessions()).map(({ session }) => session).sort()).toEqual(['kept', 'late'])
  expect(await file.search({ text: 'forgotten' })).toEqual([])
  await file.close()
})

it('lets one of two processes drop a month, with a complete file', async () => {
  await ledger.append(new Story().prompt('one'))
  await happenedIn(1)
  const months = ledger.months!
  const fields = { month: '2020-01', machine: 'laptop', digest: 'x' }
  const first = await months.note({ ...fields, file: '/a' }, [])
  const second = await months.note({ ...fields, file: '/b' }, [])
  await expect(months.drop(second)).rejects.toMatchObject({ code: 'usage' })
  await months.detach('2020-01')
  await expect(months.drop(first)).rejects.toMatchObject({ code: 'conflict' })
  expect(await tables()).toEqual(['events_2020_01'])
  // The next process takes it over from the detached table.
  expect(await archive()).toMatchObject([{ events: 1, machine: 'desk' }])
  await expect(months.drop(second)).rejects.toMatchObject({ code: 'not_found' })
  expect(await months.archives()).toMatchObject([{ machine: 'desk', dropped: true }])
})

it('finishes an interrupted detach before it starts the next', async () => {
  await ledger.append(new Story().prompt('one'))
  await happenedIn(1)
  await ledger.append(new Story({ session: 'two' }).prompt('two'))
  await happenedIn(2)
  // The state that PostgreSQL leaves when the detaching process is killed.
  await query(`UPDATE pg_inherits SET inhdetachpending = TRUE WHERE inhrelid = 'events_2020_02'::regclass`)
  expect(await archive({ keepMs: 0 })).toMatchObject([{ month: '2020-01' }, { month: '2020-02' }])
  expect(await tables()).toEqual([])
})

it('creates another file for a month that is archived again, and touches no other file', async () => {
  const story = new Story()
  await ledger.append(story.prompt('one'))
  await happenedIn(1)
  const foreign = await openFile('2020-01')
  await foreign.append(new Story({ session: 'mine' }).prompt('mine'))
  await foreign.close()
  await expect(archive()).rejects.toMatchObject({ code: 'conflict' })
  await rm(join(folder, 'remora-2020-01.db'))
  await archive()
  await ledger.append(story.prompt('two'))
  await happenedIn(1)
  expect(await archive()).toMatchObject([{ events: 1, file: join(folder, 'remora-2020-01-2.db') }])
  expect(await ledger.months!.archives(story.key)).toHaveLength(2)
})

it('upgrades a ledger from before archives', async () => {
  await ledger.append(new Story().prompt('one'))
  await query(
    `DROP TABLE archives, archived_sessions; DELETE FROM migrations WHERE name = '0002-archives';
     UPDATE meta SET value = '1' WHERE name = 'schema'`,
  )
  const later = await bench.open(place)
  expect(await later.months!.archives()).toEqual([])
  await happenedIn(1)
  expect(await archive({}, later)).toMatchObject([{ events: 1 }])
  expect((await later.forget(new Story().key)) && (await later.months!.archives())).toMatchObject([
    { events: 0, dropped: true },
  ])
})

it('leaves this month and a grace period of a day after the last one alone', async () => {
  await ledger.append(new Story().prompt('one'))
  expect(await ledger.months!.list(-1000 * day)).toEqual([])
  expect(await archive({ keepMs: -1000 * day })).toEqual([])
  const file = await openLedger({ file: join(folder, 'plain.db') })
  await expect(archive({}, file)).rejects.toMatchObject({ code: 'unsupported' })
  await file.close()
})
