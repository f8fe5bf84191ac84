import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { archiveAlone, keepLease } from '@remora/intake'
import { openPostgres } from '@remora/ledger-postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '../../../../testkit/src/index.ts'
import { TestHome, edit, hello, shell } from '../sessions/home.test-data.ts'

let postgres: Postgres
let home: TestHome
let url: string
let databases = 0
let files: string[]
beforeAll(async () => {
  postgres = await startPostgres({ fsync: 'off' })
}, 60_000)
afterAll(() => postgres?.stop(), 60_000)
beforeEach(async () => {
  home = new TestHome()
  files = []
  for (const each of [hello, edit, shell]) files.push(await home.add(each))
  url = await postgres.createDatabase(`months_${++databases}`)
})
afterEach(() => home[Symbol.dispose]())

/** Runs the command with the database, or with another environment. */
const remora = (words: readonly string[], database = url, more = {}) =>
  home.remora(words, {
    env: { PATH: join(home.path, 'bin'), HOME: home.path, REMORA_DATABASE_URL: database },
    ...more,
  })

/** Changes the times of all stored events to August 2025. */
async function happenedLongAgo(): Promise<void> {
  const [from, until] = [Date.UTC(2025, 7), Date.UTC(2025, 8)]
  const database = `months_${databases}`
  await postgres.query(
    `CREATE TABLE events_2025_08 PARTITION OF events FOR VALUES FROM (${from}) TO (${until});
     UPDATE events SET stored_at = ${from}`,
    database,
  )
}

it('archives old months, reports the files, and reads them', async () => {
  expect((await remora(['data', 'archives'])).err).toContain('No archives yet')
  await remora(['import'])
  const { events } = (await remora(['data', 'size', '--json'])).json<{ events: number }>()
  expect(await remora(['data', 'archive', '--before', '90d'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^No months to archive before \d{4}-/),
  })
  await happenedLongAgo()
  const planned = await remora(['data', 'archive', '--before', '90d', '--dry-run'])
  expect(planned.out).toMatch(/^Would archive 2025-08 \(\d+ events, .*\)\nto ~\/\.remora\/archive\n$/)
  expect(await remora(['data', 'archive', '--before', '90d'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--yes'),
  })
  const no = { stdin: { terminal: true, read: async () => '', readLine: async () => 'n' } }
  expect(await remora(['data', 'archive', '--before', '90d'], url, no)).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing was archived'),
  })

  const done = await remora(['data', 'archive', '--before', '90d', '--yes'])
  expect(done).toMatchObject({ code: 0, err: '' })
  expect(done.out).toContain(`Archived 1 month (${events} events, compared by count and digest)`)
  const folder = join(home.state, 'archive')
  expect(readdirSync(folder)).toEqual(['remora-2025-08.db'])
  const file = join(folder, 'remora-2025-08.db')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect((await remora(['data', 'archives'])).out).toMatch(
    /^MONTH .*\n2025-08 .*just now .*remora-2025-08\.db\n$/,
  )
  expect((await remora(['data', 'archives', '--json'])).json()).toMatchObject([
    { month: '2025-08', events, sessions: 3, file, dropped: true },
  ])
  expect((await remora(['data', 'size'])).out).toContain(`\n${events} events more in archives`)

  // Verbs name the archives that contain the missing events.
  const address = pathToFileURL(file).href
  const shown = await remora(['show', hello.id])
  expect(shown.code).toBe(0)
  expect(shown.out).toMatch(/\d+ events of this session from 2025-08 are in an archive: .*2025-08\.db on /)
  expect(shown.out).toContain(`REMORA_DATABASE_URL=${address} remora show ${hello.id}`)
  expect(shown.out).not.toContain('No messages.')
  expect(await remora(['show', hello.id, '--json'])).toMatchObject({
    out: '[]\n',
    err: expect.stringContaining('in an archive'),
  })
  expect((await remora(['show', hello.id, '--markdown'])).out).toContain('Incomplete')
  expect((await remora(['show', hello.id, '--html'])).out).toContain('in an archive')
  expect((await remora(['search', 'hello'])).err).toContain('in archives. List them: remora data archives')
  expect((await remora(['sessions', '--json'])).json<unknown[]>()).toHaveLength(3)

  // The archive as a ledger: commands import nothing into it.
  await home.add({ ...hello, scenario: 'two-turns', id: 'dddd1111-0000-4000-8000-000000000004' })
  expect((await remora(['sessions', '--json'], address)).json<unknown[]>()).toHaveLength(3)
  const there = await remora(['show', hello.id], address)
  expect(there).toMatchObject({ code: 0, err: '' })
  expect(there.out).toContain('Say hello.')
  expect(there.out).toContain('Archive: only the part of this session stored in')
  expect((await remora(['search', 'hello'], address)).out).not.toBe('')
  expect(await remora(['import'], address)).toMatchObject({
    code: 3,
    err: expect.stringContaining('nothing is added to it'),
  })
  expect(await remora(['serve', '--port', '0'], address)).toMatchObject({ code: 3 })

  // New events are stored here, and archived events are not stored again.
  const sessions = (await remora(['sessions', '--json'])).json<{ id: string }[]>()
  expect(sessions.map(({ id }) => id)).toContain('dddd1111-0000-4000-8000-000000000004')
  const { out: archived } = await remora(['show', hello.id])
  expect(archived).toContain('\n0 messages, ')
  expect(archived).not.toContain('› You')
  rmSync(files[1]!)
  expect(await remora(['restore', edit.id])).toMatchObject({
    code: 3,
    err: expect.stringMatching(/A part of this session is in an archive .*\n {2}.*remora show/),
  })
  const forgotten = await remora(['forget', hello.id, '--yes'])
  expect(forgotten.err).toContain(
    `Forget them there: REMORA_DATABASE_URL=${address} remora forget ${hello.id}`,
  )
  expect(await remora(['forget', hello.id, '--yes'], address)).toMatchObject({ code: 0, err: '' })
  expect(await remora(['migrate', '--to', 'sqlite', '--copy-only'])).toMatchObject({
    code: 0,
    err: expect.stringContaining('in archives are not moved'),
  })
})

it('runs on one machine at a time and names it to the other', async () => {
  await remora(['import'])
  await happenedLongAgo()
  const other = await openPostgres({ url, node: 'other' })
  const kept = await keepLease(other, 'archive', 'remora serve')
  if ('heldBy' in kept) throw new Error('the lease must be free')
  expect(await remora(['data', 'archive', '--before', '90d', '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /Months are being archived already \(remora serve, process \d+ on .*\(other\)\)\n {2}List the archives: remora data archives\n/,
    ),
  })
  await kept.release()
  const options = { folder: join(home.path, 'there'), keepMs: 0, machine: 'other' }
  const both = await Promise.allSettled([
    archiveAlone(other, options, 'a test'),
    archiveAlone(other, options, 'a test'),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await other.months!.archives()).toMatchObject([{ machine: 'other', dropped: true }])
  await other.close()
})

it('can be interrupted and resumed', async () => {
  await remora(['import'])
  await happenedLongAgo()
  const stopped = { stopped: () => AbortSignal.abort('SIGINT') }
  const words = ['data', 'archive', '--before', '90d', '--yes', '--to', '~/elsewhere']
  expect(await remora(words, url, stopped)).toMatchObject({
    code: 130,
    err: expect.stringContaining('run it again to continue'),
  })
  expect((await remora([...words, '--json'])).json()).toMatchObject({
    folder: join(home.path, 'elsewhere'),
    archives: [{ month: '2025-08', dropped: true }],
  })
})

it('is off by default', async () => {
  expect((await home.remora(['config', 'ledger.keep'])).out).toBe('\n')
  expect(await home.remora(['config', 'ledger.keep', 'long'])).toMatchObject({
    code: 2,
    err: 'remora: Invalid value "long" for ledger.keep\n  Use days or weeks, for example 90d or 12w\n',
  })
  expect(await home.remora(['config', 'ledger.keep', '90d'])).toMatchObject({
    code: 0,
    err: expect.stringContaining('once a day'),
  })
  expect((await home.remora(['config', 'ledger.keep'])).out).toBe('90d\n')
})

it('is refused for a local file', async () => {
  for (const words of [['archive', '--before', '90d'], ['archives']])
    expect(await home.remora(['data', ...words])).toMatchObject({
      code: 3,
      err: expect.stringMatching(
        /^remora: A SQLite ledger is not stored by month.*\n {2}.*remora data backup.*remora data prune/,
      ),
    })
})
