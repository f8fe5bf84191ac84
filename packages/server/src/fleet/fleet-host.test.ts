import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger, getOwnNode } from '@remora/ledger'
import { expect, it, vi } from 'vitest'
import { HostStage } from '../host/host.test-data.ts'

it('runs an agent in a shared ledger, and runs the commands of another machine once', async () => {
  await using stage = new HostStage()
  mkdirSync(join(stage.remoraHome, 'shared'))
  const file = join(stage.remoraHome, 'shared', 'ledger.db')
  const host = await stage.start(
    {},
    { env: { PATH: process.env['PATH'], HOME: stage.remoraHome, REMORA_DATABASE_URL: `file://${file}` } },
  )
  const other = await openLedger({ file, node: 'n-other' })
  const own = await openLedger({ file, node: (await getOwnNode(stage.remoraHome)).id })
  try {
    const session = { agent: 'fake', session: host.session }
    const wish = {
      id: 'one',
      client: 'phone',
      target: session,
      body: { kind: 'prompt' as const, content: [{ type: 'text' as const, text: 'hello' }] },
      state: 'queued' as const,
      // The clock of the other machine is far behind.
      at: 1,
    }
    await Promise.all([other.commands.submit(wish), own.commands.submit(wish)])
    await vi.waitFor(
      async () =>
        expect(await other.commands.list({ session })).toMatchObject([{ id: 'one', state: 'done' }]),
      { timeout: 60_000, interval: 50 },
    )
    const prompts = (await other.read({ session })).events.filter(
      ({ event }) => event.type === 'message' && event.role === 'user',
    )
    expect(prompts).toHaveLength(1)
    expect((await other.session(session))?.node).toBe(own.node)
    // Hosts of the same name on two machines have separate leases.
    expect(await own.leases.find(`host l-test of ${own.node}`)).toBeDefined()
    expect(await own.leases.find('host l-test')).toBeUndefined()
  } finally {
    await other.close()
    await own.close()
  }
}, 120_000)
