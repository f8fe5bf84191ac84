import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import type { LiveInfo } from '@remora/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { somePast, store } from './sessions.test-data.ts'
import { type WebStage, webStage } from './stage.test-data.ts'

const info: LiveInfo = {
  id: 'l-elsewhere',
  agent: 'gemini',
  session: 'g-far',
  channel: 'terminal',
  state: 'idle',
  title: 'Far away',
  cwd: '/srv/far',
  startedAt: Date.now(),
  since: Date.now(),
  adopted: false,
  asks: 0,
  queued: 0,
}

let stage: WebStage
let file = ''
let far: Ledger
let beating: NodeJS.Timeout | undefined
let lastBeat: Promise<void> | undefined
beforeAll(async () => {
  stage = await webStage({
    agents: ['fake'],
    env: (folder) => {
      file = join(folder, 'ledger.db')
      return { REMORA_DATABASE_URL: `file://${file}` }
    },
  })
  far = await openLedger({ file, node: 'n-far' })
  const beat = (): Promise<void> =>
    far.nodes.heartbeat({ id: 'n-far', name: 'build server', version: '0.0.0', live: [info] })
  await beat()
  beating = setInterval(() => {
    lastBeat = beat().catch(() => {})
  }, 1_000)
  const { context } = stage.server
  const [here, there] = somePast(context.home)
  await store(context.ledger, [here!])
  await store(far, [there!])
})
afterAll(async () => {
  clearInterval(beating)
  await lastBeat
  await far.close()
  await stage[Symbol.asyncDispose]()
})

it('shows the sessions of every machine, filters by machine, and marks an offline one', async () => {
  const page = await stage.open()
  const list = page.getByTestId('sessions')
  const live = list.getByRole('link', { name: /Far away/ })
  await live.getByText('build server').waitFor()
  await list
    .getByRole('link', { name: /upload test is flaky/ })
    .getByText('build server')
    .waitFor()
  const here = list.getByRole('link', { name: /parser keep comments/ })
  await here.waitFor()
  expect(await here.getByText('build server').count()).toBe(0)

  const machines = page.getByRole('group', { name: 'Machines' })
  await machines.getByRole('button', { name: 'build server' }).click()
  await here.waitFor({ state: 'detached' })
  await live.waitFor()
  await machines.getByRole('button', { name: 'All machines' }).click()
  await here.waitFor()

  await page.goto(`${stage.url}/session/gemini/g-far/terminal`)
  await page.getByText('The terminal is on build server').waitFor()
  await page.goto(stage.url)
  await live.waitFor()

  // The machine stops sending heartbeats; the last one is an hour old.
  clearInterval(beating)
  // One that is still being written would overwrite the old one.
  await lastBeat
  const before = await openLedger({ file, node: 'n-far', now: () => Date.now() - 3_600_000 })
  await before.nodes.heartbeat({ id: 'n-far', name: 'build server', version: '0.0.0', live: [info] })
  await before.close()
  await live.getByText('Offline', { exact: true }).waitFor()
  await page
    .getByText(/build server is offline/)
    .first()
    .waitFor()
  if (process.env['SHOTS']) await page.screenshot({ path: join(process.env['SHOTS'], 'machines.png') })
  expect(stage.consoleErrors).toEqual([])
})
