import type { Command } from '@remora/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ServerApprovals } from '../approvals/server-approvals.ts'
import { HostStage } from '../host/host.test-data.ts'
import type { ManagedSession, ManagerCallbacks } from './managed-session.ts'
import { attachHosted } from './hosted-session.ts'
import type { LiveRecord } from './live-record.ts'

vi.setConfig({ testTimeout: 120_000 })

/** A host with an agent, attached as the manager attaches it. */
async function createHostedSession(callbacks: Partial<ManagerCallbacks>) {
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
  const manager: ManagerCallbacks = {
    keep: async () => {},
    changed: () => {},
    frame: () => {},
    moved: () => {},
    ended: async () => {},
    taken: () => new Set(),
    ...callbacks,
  }
  const { remoraHome } = stage
  const parts = { ledger, approvals, log: () => {}, remoraHome, env: {}, home: remoraHome, manager, record }
  return { stage, host, held: await attachHosted(parts) }
}

it('settles the commands and asks of a killed host, and retries if the ledger cannot be written', async () => {
  const ended: ManagedSession[] = []
  const { stage, host, held } = await createHostedSession({
    ended: async (session) => {
      ended.push(session)
      if (ended.length === 1) throw new Error('disk full')
    },
  })
  const asking = await stage.prompt(host.session, 'wait 60000')
  await stage.until(asking, 'sent')
  const waiting = await stage.prompt(host.session, 'say never')
  process.kill(host.pid, 'SIGKILL')
  await vi.waitFor(() => expect(ended).toEqual([held, held]), 40_000)
  expect(held.info().state).toBe('ended')
  expect(await stage.state(waiting)).toMatchObject({ state: 'refused' })
  expect((await stage.state(asking)).state).not.toBe('sent')
  const events = await stage.events(host.session)
  const ends = events.filter((event) => event.type === 'status' && event.status === 'ended')
  expect(ends).toHaveLength(1)
})

it('reports the end of a command that its host finished before the first refresh', async () => {
  const moved: Command[] = []
  const { stage, host, held } = await createHostedSession({ moved: (command) => moved.push(command) })
  const prompt = await stage.prompt(host.session, 'say hello')
  await stage.until(prompt, 'done')
  held.nudge(prompt)
  await vi.waitFor(() => expect(moved.at(-1)).toMatchObject({ id: prompt.id, state: 'done' }), 40_000)
})
