import { openLedger } from '@remora/ledger'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LiveHome } from './live-home.test-data.ts'

let home: LiveHome
beforeEach(() => (home = new LiveHome()))
afterEach(() => home[Symbol.dispose]())

/** Stores a live session as the server does. */
async function store(id: string, told?: object): Promise<void> {
  mkdirSync(home.state, { recursive: true })
  const ledger = await openLedger({ file: join(home.state, 'ledger.db') })
  const record = {
    id,
    agent: 'gemini',
    session: `s-${id}`,
    channel: 'acp',
    cwd: home.path,
    startedAt: 1e12,
    told,
  }
  await ledger.append([], { marks: { [`server/live/${id}`]: record } })
  await ledger.close()
}

it('lists the sessions that the last server stored', async () => {
  await store('l-one', { state: 'working', since: 2e12, mode: 'plan' })
  expect(await home.remora(['ls'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^l-one +working \(acp\) +gemini +Plan /m) as string,
    err: 'The server is not running: this is what it stored last.\n  Start it: remora serve\n',
  })
  expect((await home.remora(['ls', '--json'])).json()).toEqual({
    live: [
      {
        id: 'l-one',
        agent: 'gemini',
        session: 's-l-one',
        channel: 'acp',
        state: 'working',
        cwd: home.path,
        mode: 'plan',
        startedAt: '2001-09-09T01:46:40.000Z',
        since: '2033-05-18T03:33:20.000Z',
        adopted: false,
        asks: 0,
        queued: 0,
        restoring: true,
      },
    ],
    adoptable: [],
    serverRunning: false,
  })
})

it('prints a line of JSON for every change with --watch, and ends with 130', async () => {
  const watching = home.start(['ls', '--watch', '--json'])
  const ids = () =>
    watching.printed.out
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { live: { id: string }[] }).live.map(({ id }) => id))
  await expect.poll(ids, { timeout: 60_000 }).toEqual([[]])
  await store('l-one')
  await expect.poll(ids, { timeout: 60_000 }).toEqual([[], ['l-one']])
  await store('l-two')
  await expect.poll(ids, { timeout: 60_000 }).toEqual([[], ['l-one'], ['l-one', 'l-two']])
  expect((await watching.stop()).code).toBe(130)
}, 120_000)

it('draws the list again on a terminal', async () => {
  const watching = home.start(['ls', '--watch', '--color=never'], { terminal: true })
  await expect.poll(() => watching.printed.out, { timeout: 60_000 }).toContain('No live sessions')
  await store('l-one')
  await expect.poll(() => watching.printed.out, { timeout: 60_000 }).toMatch(/^l-one /m)
  const { code, out } = await watching.stop()
  expect(code).toBe(130)
  expect(out.split('\u001B[H\u001B[2J')).toHaveLength(3)
  expect(out).toContain('1 live session (server not running). Press Ctrl+C to stop.\n')
}, 120_000)
