import { readdir, readlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { testLedger } from '../contract/index.test-data.ts'
import { Story } from '../contract/story.test-data.ts'
import { open, removeFolders, sqliteEngine } from './engine.test-data.ts'

afterAll(removeFolders)
testLedger('sqlite', sqliteEngine)

it('lets other work run between the pages of a burst', async () => {
  const ledger = await open(await sqliteEngine.place())
  const story = new Story()
  const records = Array.from({ length: 2000 }, (_, index) => story.prompt(`Prompt ${index}`)).flat()
  await ledger.append(records)
  let turns = 0
  const count = (): void => {
    turns += 1
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  const stop = new AbortController()
  const seen: number[] = []
  let events = 0
  for await (const page of ledger.tail({ signal: stop.signal })) {
    events += page.events.length
    seen.push(turns)
    if (events >= records.length) stop.abort()
  }
  clearImmediate(immediate)
  await ledger.close()
  expect(seen.length).toBeGreaterThan(3)
  expect(new Set(seen).size).toBe(seen.length)
})

it('does not report the renewal of a lease as a change', async () => {
  const ledger = await open(await sqliteEngine.place())
  const lease = await ledger.leases.take('server', { what: 'test', pid: 1, host: 'here' }, 60_000)
  if ('heldBy' in lease) throw new Error('The lease is held')
  let hasChanged = false
  const changed = ledger.changed(new AbortController().signal).then(() => (hasChanged = true))
  expect(await ledger.leases.renew(lease, 60_000)).toBe(true)
  // Notification is synchronous, so a report would have arrived.
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasChanged).toBe(false)
  await ledger.leases.release(lease)
  await changed
  await ledger.close()
})

// Only Linux lists the open files of a process.
it.runIf(process.platform === 'linux')(
  'syncs the log during many writes, and closes it at the end',
  async () => {
    const file = await sqliteEngine.place()
    const ledger = await open(file)
    const story = new Story()
    await ledger.append(story.prompt('Hi'))
    const before = await countOpen(`${file}-wal`)
    for (let index = 0; index < 30; index++) await ledger.append(story.says(`${index}`))
    await expect.poll(() => countOpen(`${file}-wal`), { timeout: 30_000 }).toBe(before + 1)
    await ledger.close()
    await expect.poll(() => countOpen(`${file}-wal`), { timeout: 30_000 }).toBe(0)
    expect(await readdir(dirname(file))).toEqual(['ledger.db'])
  },
)

async function countOpen(path: string): Promise<number> {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(path)).length
}
