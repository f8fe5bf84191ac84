import { expect, it, onTestFinished, vi } from 'vitest'
import { ServerApprovals } from '../approvals/server-approvals.ts'
import { HostStage } from '../host/host.test-data.ts'
import type { HeldSession, Holder } from './held-session.ts'
import { attachHosted } from './hosted-session.ts'
import type { LiveRecord } from './record.ts'

vi.setConfig({ testTimeout: 60_000 })

it('settles what a host that was killed left behind, also if the ledger could not be written at first', async () => {
  const stage = new HostStage()
  onTestFinished(() => stage[Symbol.asyncDispose]())
  const host = await stage.start()
  const ledger = await stage.ledger()
  const approvals = new ServerApprovals({ ledger, log: () => {} })
  onTestFinished(() => approvals.close())
  const record: LiveRecord = {
    id: 'l-test',
    agent: 'fake',
    session: host.session,
    channel: 'acp',
    cwd: stage.remoraHome,
    startedAt: Date.now(),
    adopted: false,
  }
  const ended: HeldSession[] = []
  const holder: Holder = {
    keep: async () => {},
    changed: () => {},
    frame: () => {},
    moved: () => {},
    ended: async (session) => {
      ended.push(session)
      if (ended.length === 1) throw new Error('disk full')
    },
    taken: () => new Set(),
  }
  const { remoraHome } = stage
  const parts = { ledger, approvals, log: () => {}, remoraHome, env: {}, home: remoraHome, holder, record }
  const held = await attachHosted(parts)
  const asking = await stage.prompt(host.session, 'wait 60000')
  await stage.until(asking, 'sent')
  const waiting = await stage.prompt(host.session, 'say never')
  process.kill(host.pid, 'SIGKILL')
  await vi.waitFor(() => expect(ended).toEqual([held, held]), 20_000)
  expect(held.info().state).toBe('ended')
  expect(await stage.state(waiting)).toMatchObject({ state: 'refused' })
  expect((await stage.state(asking)).state).not.toBe('sent')
  const events = await stage.events(host.session)
  const ends = events.filter((event) => event.type === 'status' && event.status === 'ended')
  expect(ends).toHaveLength(1)
})
