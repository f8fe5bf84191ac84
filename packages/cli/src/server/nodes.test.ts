import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import type { LiveInfo } from '@remora/protocol'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type RunningCommand, LiveHome, untilListening } from '../live/live-home.test-data.ts'

// Loading the server is slow and must not count towards the timeout of one test.
beforeAll(() => import('@remora/server').then(() => {}), 120_000)

let home: LiveHome
let server: RunningCommand | undefined
let other: Ledger | undefined
let heartbeats: NodeJS.Timeout | undefined
beforeEach(() => {
  home = new LiveHome()
})
afterEach(async () => {
  clearInterval(heartbeats)
  await server?.stop()
  await other?.close()
  server = undefined
  other = undefined
  home[Symbol.dispose]()
})

const info: LiveInfo = {
  id: 'l-elsewhere',
  agent: 'gemini',
  session: 'abc',
  channel: 'terminal',
  state: 'idle',
  cwd: '/srv/app',
  startedAt: 1,
  since: 2,
  adopted: false,
  asks: 0,
  queued: 0,
}

/** Shares the ledger with a second machine, which sends heartbeats until the test ends. */
async function share(): Promise<Ledger> {
  await mkdir(join(home.path, 'shared'))
  const file = join(home.path, 'shared', 'ledger.db')
  other = await openLedger({ file, node: 'n-2' })
  const sendHeartbeat = (): Promise<void> =>
    other!.nodes.heartbeat({ id: 'n-2', name: 'desktop', version: '9.9.9', live: [info] })
  await sendHeartbeat()
  heartbeats = setInterval(() => void sendHeartbeat().catch(() => {}), 1_000)
  expect((await home.remora(['config', 'database', `file://${file}`])).code).toBe(0)
  return other
}

it('sets, shows and unsets the database, and never prints its password', async () => {
  const url = 'postgres://remora:hunter2@db.example:5433/team?password=hunter2'
  const set = await home.remora(['config', 'database', url])
  expect(set).toMatchObject({ code: 0, out: '' })
  expect(set.err).toContain('remora serve')
  expect(readFileSync(join(home.state, 'config.json'), 'utf8')).toContain(url)
  expect(statSync(join(home.state, 'config.json')).mode & 0o777).toBe(0o600)
  for (const words of [
    ['config', 'database'],
    ['config'],
    ['config', '--json'],
    ['status'],
    ['status', '--json'],
  ]) {
    const { out, err } = await home.remora(words)
    expect(out + err).not.toContain('hunter2')
    if (words[0] === 'config') expect(out).toContain('team at db.example:5433')
  }
  expect((await home.remora(['status', '--json'])).json()).toMatchObject({
    running: false,
    database: 'team at db.example:5433',
  })
  const wrong = await home.remora(['config', 'database', 'mysql://remora:hunter2@db/team'])
  expect(wrong.code).not.toBe(0)
  expect(wrong.err).toContain('postgres://user:password@host')
  expect(wrong.err).not.toContain('hunter2')
  expect((await home.remora(['config', 'database', '--unset'])).code).toBe(0)
  expect((await home.remora(['config', 'database'])).out).toBe('\n')
  expect((await home.remora(['status', '--json'])).json()).not.toHaveProperty('database')
})

it('explains how to share a ledger if there is one machine', async () => {
  const alone = await home.remora(['nodes'])
  expect(alone).toMatchObject({ code: 0, out: '' })
  expect(alone.err).toContain('remora data migrate --to postgres://')
  expect((await home.remora(['nodes', '--json'])).out).toBe('[]\n')
  expect((await home.remora(['nodes', 'name', 'x'])).code).toBe(2)
  expect((await home.remora(['nodes', 'explode'])).code).toBe(2)
  expect(existsSync(join(home.state, 'node.json'))).toBe(false)
})

it('lists the machines and their live sessions', async () => {
  const ledger = await share()
  expect((await home.remora(['nodes', 'name', 'the laptop'])).out).toContain('the laptop')
  server = home.start(['serve', '--port', '0'])
  await untilListening(server)
  const nodes = async () =>
    (await home.remora(['nodes', '--json'])).json<
      { id: string; name: string; live: number; here: boolean }[]
    >()
  await expect.poll(async () => (await nodes()).length, { timeout: 60_000 }).toBe(2)
  expect(await nodes()).toEqual([
    expect.objectContaining({ id: 'n-2', name: 'desktop', live: 1, here: false, silent: false }),
    expect.objectContaining({ name: 'the laptop', live: 0, here: true, silent: false }),
  ])
  const { out } = await home.remora(['nodes'])
  expect(out).toMatch(/^NAME .*SESSIONS/m)
  expect(out).toMatch(/^the laptop \(this machine\) +0 /m)
  expect(out).toMatch(/^desktop +1 .* 9\.9\.9 +n-2$/m)

  expect((await home.remora(['ls', '--json'])).json()).toMatchObject({ live: [] })
  // The server polls the list of machines.
  const everywhere = async () => (await home.remora(['ls', '--everywhere'])).out
  await expect.poll(everywhere, { timeout: 60_000 }).toMatch(/^l-elsewhere +desktop +idle/m)
  expect(await everywhere()).toMatch(/^ID +MACHINE +STATE/m)
  expect((await home.remora(['status'])).out).toContain('the laptop, ledger in the database')
  const attached = await home.remora(['attach', 'l-elsewhere'])
  expect(attached.code).toBe(3)
  expect(attached.err).toContain('On desktop, run: remora attach l-elsewhere')

  // The command is in the ledger for the other machine's server.
  expect((await home.remora(['send', 'l-elsewhere', 'hello'])).code).toBe(0)
  const [command] = await ledger.commands.list({ state: 'queued' })
  expect(command).toMatchObject({ target: { agent: 'gemini', session: 'abc' }, body: { kind: 'prompt' } })

  expect((await home.remora(['nodes', 'remove', 'unknown'])).err).toContain('No machine "unknown"')
  expect((await home.remora(['nodes', 'remove', 'desktop'])).err).toContain('desktop is online')
  expect(await nodes()).toHaveLength(2)
}, 120_000)

it('removes a machine that no longer exists', async () => {
  await share()
  clearInterval(heartbeats)
  await other!.close()
  // Long enough ago that the machine is offline.
  const file = join(home.path, 'shared', 'ledger.db')
  other = await openLedger({ file, node: 'n-2', now: () => Date.now() - 3_600_000 })
  await other.nodes.heartbeat({ id: 'n-2', name: 'desktop', version: '9.9.9', live: [info] })
  expect((await home.remora(['nodes'])).out).toMatch(/^desktop +\? +1 h ago/m)
  expect(await home.remora(['nodes', 'remove', 'Desktop'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Its sessions stay in the ledger.') as string,
  })
  expect((await home.remora(['nodes', '--json'])).out).toBe('[]\n')
})
