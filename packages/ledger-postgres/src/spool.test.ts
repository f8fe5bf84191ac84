import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventRecord } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Story, everyEvent } from '../../ledger/src/contract/story.test-data.ts'
import { type Ledger, openLedger } from '@remora/ledger'
import { Spool } from './spool.ts'

class Away extends Error {}

let folder = ''
let ledger: Ledger
let away = false
/** Stores, and then reports a failure: as if the connection was lost before the answer. */
let forgetful = false
const spools: Spool[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-spool-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db') })
  away = forgetful = false
})
afterEach(async () => {
  for (const spool of spools.splice(0)) await spool.close()
  await ledger.close()
  await rm(folder, { recursive: true, force: true })
})

const open = (): Spool => {
  const spool = new Spool({
    folder: join(folder, 'spool'),
    store: async (records: readonly EventRecord[]) => {
      if (away) throw new Away()
      const stored = await ledger.append(records)
      if (forgetful) throw new Away()
      return stored
    },
    isOffline: (error) => error instanceof Away,
  })
  spools.push(spool)
  return spool
}
const entities = async () =>
  (await ledger.read({ limit: 10_000 })).events.map(({ event }) => `${event.type} ${event.entity}`)
const files = () => readdir(join(folder, 'spool')).catch(() => [])

it('stores directly while the database is online, and creates no file', async () => {
  const story = new Story()
  expect(await open().append(story.prompt('a'))).toMatchObject({ added: 1 })
  expect(await files()).toEqual([])
})

it('keeps everything in order while the database is offline, and stores it once when it is back', async () => {
  const story = new Story()
  const spool = open()
  await spool.append(story.prompt('first'))
  away = true
  const events = everyEvent(story)
  for (const event of events) expect(await spool.append([{ events: [event] }])).toMatchObject({ added: 1 })
  expect(await entities()).toHaveLength(1)
  away = false
  // New events wait for the kept ones.
  await spool.append(story.prompt('last'))
  await expect.poll(entities, { timeout: 30_000 }).toHaveLength(events.length + 2)
  expect((await entities()).slice(1, -1)).toEqual(events.map(({ type, entity }) => `${type} ${entity}`))
  const back = (await ledger.read({ limit: 10_000 })).events.map(({ event }) => event)
  expect(back.slice(1, -1)).toEqual(events)
  await expect.poll(files, { timeout: 30_000 }).toEqual([])
})

it('stores nothing twice if an append succeeded without an answer', async () => {
  const spool = open()
  const story = new Story()
  forgetful = true
  for (const text of ['a', 'b', 'c']) await spool.append(story.prompt(text))
  forgetful = false
  await expect.poll(files, { timeout: 30_000 }).toEqual([])
  expect(await entities()).toHaveLength(3)
})

it('takes over what a killed process has left', async () => {
  const story = new Story()
  away = true
  const dead = open()
  await dead.append(story.prompt('kept'))
  await dead.close()
  const [name] = (await files()).filter((file) => file.endsWith('.db'))
  // A process id that no process has.
  await rename(
    join(folder, 'spool', name!),
    join(folder, 'spool', `4194999-${name!.split('-').slice(1).join('-')}`),
  )
  away = false
  open()
  await expect.poll(entities, { timeout: 30_000 }).toHaveLength(1)
  await expect.poll(files, { timeout: 30_000 }).toEqual([])
})

it('reports other failures', async () => {
  const spool = open()
  await expect(spool.append([{ events: [{ broken: true } as never] }])).rejects.toThrow()
  expect(await files()).toEqual([])
})
