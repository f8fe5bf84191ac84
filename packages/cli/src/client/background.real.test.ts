import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { keepLease, ownLease } from '@remora/intake'
import { openHome } from '@remora/ledger-postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { repository } from '../../../../testkit/src/index.ts'
import { LiveHome } from '../live/live-home.test-data.ts'
import { isProcessAlive } from './server-note.ts'

let home: LiveHome
beforeEach(() => (home = new LiveHome()))
afterEach(async () => {
  await run(['stop'])
  home[Symbol.dispose]()
})

/** Runs the command in a child process, because a command that starts a background server starts itself again. */
function start(words: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(repository, 'packages/cli/bin/remora.mjs'), ...words], {
    cwd: home.path,
    env: {
      PATH: process.env['PATH'],
      HOME: home.path,
      REMORA_HOME: home.state,
      REMORA_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...printed }))
  return { child, printed, ended }
}

const run = (words: readonly string[], env?: Record<string, string>) => start(words, env).ended
const status = async () =>
  JSON.parse((await run(['status', '--json'])).out) as { running: boolean; pid?: number; url?: string }

it('starts once for concurrent commands, restarts after a crash, and stops', async () => {
  const both = await Promise.all([run(['pair', '--json']), run(['pair'])])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(both.map(({ err }) => err).join('')).toMatch(
    /^(?:Started the Remora server in the background: http:\/\/127\.0\.0\.1:\d+ \(stop it: remora stop\)\n)+$/,
  )
  const first = await status()
  expect(first).toMatchObject({ running: true, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
  process.kill(first.pid!, 'SIGKILL')
  await expect.poll(status, { timeout: 60_000 }).toEqual({ running: false })
  const again = await run(['pair'])
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining('Started the Remora server') })
  const second = await status()
  expect(second.pid).not.toBe(first.pid)
  expect(await run(['stop'])).toMatchObject({ code: 0, out: 'Stopped.\n' })
  expect(isProcessAlive(second.pid!)).toBe(false)
  expect((await run(['status'])).code).toBe(1)
}, 300_000)

it('starts while another server is stopping', async () => {
  mkdirSync(home.state, { mode: 0o700 })
  const ledger = await openHome({ remoraHome: home.state, env: {} })
  const ending = await keepLease(ledger, ownLease(ledger, 'server'), 'remora serve')
  if ('heldBy' in ending) throw new Error('the lease must be free')
  const started = run(['pair'])
  const log = () => readFileSync(join(home.state, 'logs/server.log'), 'utf8')
  await expect.poll(log, { timeout: 60_000 }).toContain('A server is already running')
  await ending.release()
  await ledger.close()
  expect(await started).toMatchObject({
    code: 0,
    err: expect.stringContaining('Started the Remora server') as string,
  })
}, 300_000)

it('is not started by commands that only read', async () => {
  for (const words of [['ls'], ['ls', '--json'], ['devices'], ['people'], ['worktrees']])
    expect(await run(words)).toMatchObject({ code: 0, err: expect.not.stringContaining('Started') as string })
  expect(await status()).toEqual({ running: false })
  expect(existsSync(home.state)).toBe(false)
}, 300_000)

it('names the process that uses the port, also in the background', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const refused = await run(['pair'], { REMORA_PORT: String(port) })
  other.close()
  expect(refused.code).toBe(1)
  expect(refused.err).toContain(
    `remora: Cannot start the server: Port ${port} is in use by process ${process.pid} (`,
  )
  expect(refused.err).toContain('remora config server.port <port>')
})

it.each(['SIGINT', 'SIGTERM'] as const)('stops cleanly on %s', async (signal) => {
  const { child, printed, ended } = start(['serve'])
  await expect.poll(() => printed.out, { timeout: 60_000 }).toContain('Pair a device: remora pair')
  child.kill(signal)
  expect(await ended).toMatchObject({ code: 0, err: '' })
  expect((await status()).running).toBe(false)
})
