import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import { openPostgres } from '@remora/ledger-postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type Postgres, startPostgres } from '../../../../testkit/src/index.ts'
import type { Context } from '../core/context.ts'
import { findArchives } from '../http/routes/sessions.ts'
import { archiveMonths } from './archive-months.ts'
import type { Log } from '../core/log.ts'

let postgres: Postgres
let remoraHome: string
beforeAll(async () => {
  postgres = await startPostgres({ fsync: 'off' })
}, 60_000)
afterAll(() => postgres?.stop(), 60_000)
beforeEach(async () => void (remoraHome = await mkdtemp(join(tmpdir(), 'remora-keep-'))))
afterEach(() => rm(remoraHome, { recursive: true, force: true }))

it('archives daily while the server runs, and retries after a failure', async () => {
  const url = await postgres.createDatabase('keep')
  const ledger = await openPostgres({ url, node: 'here' })
  const over = new AbortController()
  const log = vi.fn<Log>()
  const origin = { channel: 'transcripts', source: 'f', key: '1' } as const
  const event = { type: 'done', agent: 'claude', session: 's', entity: 'd', at: 1, ok: true, origin } as const
  await ledger.append([{ events: [event] }])
  const [from, until] = [Date.UTC(2025, 7), Date.UTC(2025, 8)]
  await postgres.query(
    `CREATE TABLE events_2025_08 PARTITION OF events FOR VALUES FROM (${from}) TO (${until});
     UPDATE events SET stored_at = ${from}`,
    'keep',
  )
  const lease = await ledger.leases.take('archive', { what: 'another' }, 600_000)
  if ('heldBy' in lease) throw new Error('another process holds the lease')
  const context = { ledger, signal: over.signal, log, remoraHome } as unknown as Context
  const folder = join(remoraHome, 'archive')
  const kept = archiveMonths(context, { keepMs: 86_400_000, folder, firstMs: 1, everyMs: 50 })
  await expect
    .poll(() => log.mock.calls.map(([, message]) => message))
    .toContainEqual(expect.stringContaining('Cannot archive months'))
  await ledger.leases.release(lease)
  await expect
    .poll(() => ledger.months!.archives())
    .toMatchObject([{ month: '2025-08', events: 1, dropped: true, file: join(folder, 'remora-2025-08.db') }])
  const file = join(folder, 'remora-2025-08.db')
  const reported = await findArchives(ledger, { agent: 'claude', session: 's' })
  expect(reported).toEqual({
    archives: [{ month: '2025-08', machine: expect.any(String) as string, file, events: 1 }],
  })
  expect(await findArchives(ledger, { agent: 'claude', session: 'other' })).toEqual({})
  over.abort()
  await kept
  expect(log).toHaveBeenCalledWith('info', 'Month archived', expect.objectContaining({ events: 1 }))
  expect(log).toHaveBeenCalledWith(
    'info',
    expect.stringContaining('Cannot archive months'),
    expect.objectContaining({ error: expect.stringContaining('another') as string }),
  )
  await ledger.close()
})

it('warns if the ledger has no months', async () => {
  const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
  const log = vi.fn<Log>()
  const context = { ledger, signal: new AbortController().signal, log, remoraHome } as unknown as Context
  await archiveMonths(context, { keepMs: 1, folder: remoraHome })
  expect(log).toHaveBeenCalledWith('warn', expect.stringContaining('has no effect'))
  await ledger.close()
})
