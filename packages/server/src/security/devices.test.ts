import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ledgerStore } from '../core/store.ts'
import { Devices } from './devices.ts'
import { People } from './people.ts'

let folder: string
let ledger: Ledger
let now = 1_000_000
async function load(): Promise<Devices> {
  const kept = { store: ledgerStore(ledger), audit: ledger.audit, now: () => now }
  return Devices.load({ ...kept, people: await People.load({ ...kept, local: 'ann' }), most: 3 })
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
  it('are known again after a restart, by their token alone', async () => {
    const { device, token } = await (await load()).add('phone')
    const again = await load()
    expect(again.byToken(token)).toEqual(device)
    expect(again.byToken(`${token.slice(0, -1)}_`)).toBeUndefined()
    // Seen in this moment, however seldom that is stored.
    now += 60_000
    again.byToken(token)
    expect(again.list()).toMatchObject([{ id: device.id, seenAt: now }])
    await again.rename(device.id, 'my phone')
    expect((await load()).list()).toMatchObject([{ name: 'my phone' }])
  })

  it('stay revoked after a restart, also one that was seen at the same time', async () => {
    const devices = await load()
    const { device, token } = await devices.add('phone')
    const told: string[] = []
    devices.onRevoked((id) => told.push(id))
    now += 3_600_000
    await Promise.all([devices.seen(device.id), devices.revoke(device.id, 'test')])
    expect(told).toEqual([device.id])
    expect(devices.byToken(token)).toBeUndefined()
    expect((await load()).list()).toEqual([])
    await expect(devices.revoke(device.id, 'test')).rejects.toMatchObject({ code: 'not_found' })
    expect((await ledger.audit.read()).map(({ what }) => what)).toEqual(['paired', 'revoked'])
  })

  it('have an end', async () => {
    const devices = await load()
    for (const name of ['a', 'b', 'c']) await devices.add(name)
    await expect(devices.add('d')).rejects.toMatchObject({ code: 'conflict' })
  })
})
