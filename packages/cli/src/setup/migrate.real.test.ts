import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import { openPostgres } from '@remora/ledger-postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '../../../../testkit/src/index.ts'
import { TestHome, edit, hello, shell } from '../sessions/home.test-data.ts'

let postgres: Postgres
let home: TestHome
let url: string
beforeAll(async () => {
  postgres = await startPostgres({ fsync: 'off' })
}, 60_000)
afterAll(() => postgres?.stop(), 60_000)
beforeEach(async () => {
  home = new TestHome()
  for (const each of [hello, edit, shell]) await home.add(each)
  url = await postgres.createDatabase()
})
afterEach(() => home[Symbol.dispose]())

interface Outcome {
  readonly same: boolean
  readonly switched: boolean
  readonly sessions: number
  readonly events: number
}

it('moves to a database and back without loss', async () => {
  const before = (await home.remora(['sessions', '--json'])).out
  await home.remora(['name', shell.id, 'the one that failed'])
  const named = (await home.remora(['sessions', '--json'])).out
  expect(named).not.toBe(before)
  const moved = (await home.remora(['migrate', '--to', url, '--json'])).json<Outcome>()
  expect(moved).toMatchObject({ same: true, switched: true, sessions: 3 })
  expect(await home.remora(['config', 'database'])).toMatchObject({
    out: expect.not.stringContaining('never-to-be-shown') as string,
  })
  expect((await home.remora(['sessions', '--json'])).out).toContain('the one that failed')
  const ledger = await openPostgres({ url })
  expect((await ledger.sessions()).length).toBe(3)
  await ledger.close()
  expect(
    (await home.remora(['search', '--json', 'failed', 'exit'])).json<{ hits: unknown[] }>().hits.length,
  ).toBeGreaterThan(0)
  // New events are stored in the database, and move back with the others.
  await home.add({ ...hello, scenario: 'two-turns', id: 'dddd1111-0000-4000-8000-000000000004' })
  expect((await home.remora(['sessions', '--json'])).out).toContain('dddd1111')
  const back = (await home.remora(['migrate', '--to', 'sqlite', '--json'])).json<Outcome>()
  expect(back).toMatchObject({ same: true, switched: true, sessions: 4 })
  const last = (await home.remora(['sessions', '--json'])).out
  expect(last).toContain('dddd1111')
  expect(last).toContain('the one that failed')
})

it('keeps the setting with --copy-only and after a refusal', async () => {
  await home.remora(['sessions'])
  const copied = await home.remora(['migrate', '--to', url, '--copy-only'])
  expect(copied).toMatchObject({
    code: 0,
    out: expect.stringContaining('Still using the old ledger') as string,
  })
  expect((await home.remora(['config', 'database'])).out.trim()).toBe('')
  const nowhere = await home.remora(['migrate', '--to', postgres.url('nothing')])
  expect(nowhere.code).not.toBe(0)
  expect(nowhere.err).toContain('There is no such database')
  expect(nowhere.err).not.toContain(postgres.password)
  expect(await home.remora(['migrate', '--to', 'mysql://x/y'])).toMatchObject({ code: 2 })
  expect(await home.remora(['migrate'])).toMatchObject({ code: 2 })
  expect(await home.remora(['migrate', '--to', 'sqlite'])).toMatchObject({
    err: expect.stringContaining('already') as string,
  })
})

it('is refused while a server is running', async () => {
  await home.remora(['sessions'])
  const ledger = await openLedger({ file: join(home.path, '.remora', 'ledger.db') })
  const holder = { what: 'remora serve', pid: process.pid, host: 'here' }
  await ledger.leases.take('server', holder, 60_000)
  const refused = await home.remora(['migrate', '--to', url])
  expect(refused.code).not.toBe(0)
  expect(refused.err).toContain('remora stop')
  await ledger.close()
  expect(readFileSync(join(home.path, '.remora', 'ledger.db')).length).toBeGreaterThan(0)
})
