import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLedger } from '../index.ts'

it('does not report the renewal of a lease as a change', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'remora-leases-'))
  const ledger = await openLedger({ file: join(folder, 'ledger.db') })
  const stop = new AbortController()
  try {
    const lease = await ledger.leases.take('server', { what: 'test', pid: 1, host: 'here' }, 60_000)
    if ('heldBy' in lease) throw new Error('The lease is held')
    let hasChanged = false
    const changed = ledger.changed(stop.signal).then(() => (hasChanged = true))
    expect(await ledger.leases.renew(lease, 60_000)).toBe(true)
    // Notification is synchronous, so a report would have arrived.
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasChanged).toBe(false)
    await ledger.leases.release(lease)
    await changed
  } finally {
    stop.abort()
    await ledger.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
