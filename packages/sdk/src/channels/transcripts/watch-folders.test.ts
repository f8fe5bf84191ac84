import { mkdirSync, rmSync } from 'node:fs'
import { appendFile, chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchFolders } from './watch-folders.ts'

let base = ''
let stop = new AbortController()
let told: string[] = []
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'remora-watch-'))
  stop = new AbortController()
  told = []
})
afterEach(async () => {
  stop.abort()
  await rm(base, { recursive: true, force: true })
})

const start = (root: string) => watchFolders(root, (path) => told.push(relative(base, path)), stop.signal)

/** A change may be told more than once: a file is made, and then written. */
async function untilTold(...paths: string[]): Promise<boolean> {
  const all = (): boolean => paths.every((path) => told.includes(path))
  await vi.waitUntil(all, { timeout: 20_000, interval: 5 }).catch(() => {})
  const complete = all()
  told = []
  return complete
}

it('reports files that are created, appended to, rewritten, replaced and deleted', async () => {
  await mkdir(join(base, 'a'))
  await writeFile(join(base, 'a', 'old'), 'x')
  await start(base)
  await writeFile(join(base, 'a', 'new'), 'x')
  expect(await untilTold('a/new')).toBe(true)
  await appendFile(join(base, 'a', 'old'), 'y')
  expect(await untilTold('a/old')).toBe(true)
  await writeFile(join(base, 'a', 'old'), 'zz')
  expect(await untilTold('a/old')).toBe(true)
  await rename(join(base, 'a', 'new'), join(base, 'a', 'old'))
  expect(await untilTold('a/old', 'a/new')).toBe(true)
  await rm(join(base, 'a', 'old'))
  expect(await untilTold('a/old')).toBe(true)
})

it('follows created folders with their files, and deleted folders', async () => {
  await start(base)
  await mkdir(join(base, 'x', 'y'), { recursive: true })
  await writeFile(join(base, 'x', 'y', 'one'), '1')
  expect(await untilTold('x/y/one')).toBe(true)
  await writeFile(join(base, 'x', 'y', 'two'), '2')
  expect(await untilTold('x/y/two')).toBe(true)
  await rm(join(base, 'x'), { recursive: true })
  expect(await untilTold('x/y/one', 'x/y/two')).toBe(true)
  await mkdir(join(base, 'x', 'y'), { recursive: true })
  await writeFile(join(base, 'x', 'y', 'one'), '3')
  expect(await untilTold('x/y/one')).toBe(true)
})

it('waits for a folder that does not exist yet', async () => {
  await start(join(base, 'home', '.agent', 'sessions'))
  await mkdir(join(base, 'home'))
  await mkdir(join(base, 'home', '.agent'))
  await mkdir(join(base, 'home', '.agent', 'sessions'))
  await writeFile(join(base, 'home', '.agent', 'sessions', 'one'), '1')
  expect(await untilTold('home/.agent/sessions/one')).toBe(true)
})

it('sees a folder that was deleted and created again, and the root too', async () => {
  const root = join(base, 'root')
  await mkdir(join(root, 'p'), { recursive: true })
  await start(root)
  await rm(join(root, 'p'), { recursive: true })
  await mkdir(join(root, 'p'))
  await writeFile(join(root, 'p', 'one'), '1')
  expect(await untilTold('root/p/one')).toBe(true)
  await rm(root, { recursive: true })
  expect(await untilTold('root/p/one')).toBe(true)
  await mkdir(join(root, 'p'), { recursive: true })
  await writeFile(join(root, 'p', 'two'), '2')
  expect(await untilTold('root/p/two')).toBe(true)
})

it('sees a root that was created again before its deletion was noticed', async () => {
  const root = join(base, 'root')
  await mkdir(root)
  await start(root)
  for (const name of ['one', 'two']) {
    rmSync(root, { recursive: true })
    mkdirSync(root)
    // Nothing else tells of it: an event of something in it would.
    await new Promise((resolve) => setTimeout(resolve, 200))
    await writeFile(join(root, name), '1')
    expect(await untilTold(`root/${name}`)).toBe(true)
  }
})

it('reports nothing after the signal', async () => {
  await start(base)
  stop.abort()
  await writeFile(join(base, 'one'), '1')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(told).toEqual([])
})

it('keeps no watch when it is stopped during its first scan', async () => {
  const watches = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length
  const before = watches()
  const started = start(join(base, 'missing'))
  stop.abort()
  await started
  expect(watches()).toBeLessThanOrEqual(before)
})

it('ignores changes that reading a database makes to its log files', async () => {
  const log = join(base, 'agent.db-wal')
  const logIndex = join(base, 'agent.db-shm')
  const other = join(base, 'other')
  for (const path of [log, logIndex, other]) await writeFile(path, 'x')
  await start(base)
  await appendFile(logIndex, 'y')
  for (const path of [log, other]) await chown(path, process.getuid!(), process.getgid!())
  await vi.waitUntil(() => told.includes('other'), { timeout: 20_000, interval: 5 })
  expect(told).not.toContain('agent.db-wal')
  expect(told).not.toContain('agent.db-shm')
  await appendFile(log, 'y')
  expect(await untilTold('agent.db-wal')).toBe(true)
})
