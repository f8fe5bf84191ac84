import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLedgerStore } from '../core/store.ts'
import { Devices } from './devices.ts'
import { People } from './people.ts'

let folder: string
let ledger: Ledger
let now = 1_000_000
async function load(): Promise<Devices> {
  const kept = { store: createLedgerStore(ledger), audit: ledger.audit, now: () => now }
  return Devices.load({ ...kept, people: await People.load({ ...kept, local: 'ann' }), maxDevices: 3 })
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-devices-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db') })
})
afterEach(async () => {
  await ledger.close()
  await rm(folder, { recursive: true, force: true })
})

describe('devices', () => {
  it('are recognised by their token after a restart', async () => {
    const { device, token } = await (await load()).add('phone')
    const reloaded = await load()
    expect(reloaded.findByToken(token)).toEqual(device)
    expect(reloaded.findByToken(`${token.slice(0, -1)}_`)).toBeUndefined()
    // The time is current in memory, although it is rarely stored.
    now += 60_000
    reloaded.findByToken(token)
    expect(reloaded.list()).toMatchObject([{ id: device.id, seenAt: now }])
    await reloaded.rename(device.id, 'my phone')
    expect((await load()).list()).toMatchObject([{ name: 'my phone' }])
  })

  it('stay revoked after a restart, also when seen at the same time', async () => {
    const devices = await load()
    const { device, token } = await devices.add('phone')
    const revoked: string[] = []
    devices.onRevoked((id) => revoked.push(id))
    now += 3_600_000
    await Promise.all([devices.markSeen(device.id), devices.revoke(device.id, 'test')])
    expect(revoked).toEqual([device.id])
    expect(devices.findByToken(token)).toBeUndefined()
    expect((await load()).list()).toEqual([])
    await expect(devices.revoke(device.id, 'test')).rejects.toMatchObject({ code: 'not_found' })
    expect((await ledger.audit.read()).map(({ what }) => what)).toEqual(['paired', 'revoked'])
  })

  it('are limited in number', async () => {
    const devices = await load()
    for (const name of ['a', 'b', 'c']) await devices.add(name)
    await expect(devices.add('d')).rejects.toMatchObject({ code: 'conflict' })
  })
})
