import { expect, it } from 'vitest'
import type { Lease } from '../model/ledger.ts'
import type { Bench } from './engine.test-data.ts'
import { Story } from './story.test-data.ts'

const one = { what: 'remora follow', pid: 1, host: 'here' }
const two = { what: 'remora import', pid: 2 }

export function testLeases(bench: Bench): void {
  it('gives a lease to one holder until it is released', async () => {
    const ledger = await bench.open()
    const lease = (await ledger.leases.take('follow', one, 1000)) as Lease
    expect(lease).toEqual({ name: 'follow', term: 1 })
    expect(await ledger.leases.take('follow', two, 1000)).toMatchObject({ heldBy: one })
    expect(await ledger.leases.take('drain', two, 1000)).toEqual({ name: 'drain', term: 1 })
    expect(await ledger.leases.find('follow')).toEqual({ heldBy: one, lease })
    expect(await ledger.leases.find('nothing')).toBeUndefined()
    await ledger.leases.release(lease)
    expect(await ledger.leases.find('follow')).toBeUndefined()
    expect(await ledger.leases.renew(lease, 1000)).toBe(false)
    const next = (await ledger.leases.take('follow', two, 1000)) as Lease
    expect(next).toEqual({ name: 'follow', term: 2 })
    await ledger.leases.release(lease)
    expect(await ledger.leases.renew(next, 1000)).toBe(true)
  })

  it('gives a lease to the next process if its holder has not renewed it', async () => {
    let now = 1000
    const ledger = await bench.open(undefined, { now: () => now })
    const lease = (await ledger.leases.take('follow', one, 100)) as Lease
    now = 1090
    expect(await ledger.leases.renew(lease, 100)).toBe(true)
    now = 1189
    expect(await ledger.leases.take('follow', two, 100)).toMatchObject({ heldBy: one })
    now = 1190
    expect(await ledger.leases.find('follow')).toBeUndefined()
    const next = await ledger.leases.take('follow', two, 100)
    expect(next).toEqual({ name: 'follow', term: 2 })
    expect(await ledger.leases.renew(lease, 100)).toBe(false)
  })

  it('rejects an append of a process that has lost its lease', async () => {
    let now = 1000
    const ledger = await bench.open(undefined, { now: () => now })
    const story = new Story()
    const lease = (await ledger.leases.take('follow', one, 100)) as Lease
    now = 5000
    // It expired, but no other process took it.
    expect((await ledger.append(story.prompt('a'), { lease })).added).toBe(1)
    const next = (await ledger.leases.take('follow', two, 100)) as Lease
    const records = story.prompt('b')
    await expect(ledger.append(records, { lease, marks: { a: 1 } })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await ledger.marks('')).toEqual(new Map())
    expect((await ledger.append(records, { lease: next })).added).toBe(1)
    await ledger.leases.release(next)
    await expect(ledger.append([], { lease: next })).rejects.toMatchObject({ code: 'conflict' })
    const unknown = { name: 'unknown', term: 1 }
    await expect(ledger.append([], { lease: unknown })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('reads marks by prefix', async () => {
    const place = await bench.engine.place()
    const ledger = await bench.open(place)
    const marks = {
      'file/a': { offset: 5, state: [1, null] },
      'file/b': 'x',
      'file%': true,
      filf: 0,
      é: null,
    }
    await ledger.append([], { marks })
    expect(await ledger.marks('')).toEqual(new Map(Object.entries(marks)))
    expect(await ledger.marks('file/')).toEqual(
      new Map<string, unknown>([
        ['file/a', { offset: 5, state: [1, null] }],
        ['file/b', 'x'],
      ]),
    )
    expect([...(await ledger.marks('file%')).keys()]).toEqual(['file%'])
    expect([...(await ledger.marks('é')).keys()]).toEqual(['é'])
    await ledger.append([], { marks: { 'file/a': { offset: 6 }, 'file/b': undefined } })
    await ledger.close()
    const again = await bench.open(place)
    expect(await again.marks('file/')).toEqual(new Map([['file/a', { offset: 6 }]]))
  })
}
