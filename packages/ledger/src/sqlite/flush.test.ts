import { readdir, readlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Story } from '../contract/story.test-data.ts'
import { openLedger } from '../open-ledger.ts'
import { removeFolders, sqliteEngine } from './engine.test-data.ts'

afterAll(removeFolders)

// Only Linux lists the open files of a process.
it.runIf(process.platform === 'linux')(
  'brings the log to the disk while there are many writes, and lets go of it in the end',
  async () => {
    const file = await sqliteEngine.place()
    const ledger = await openLedger({ file })
    const story = new Story()
    await ledger.append(story.prompt('Hi'))
    const before = await timesOpen(`${file}-wal`)
    for (let index = 0; index < 30; index++) await ledger.append(story.says(`${index}`))
    await expect.poll(() => timesOpen(`${file}-wal`), { timeout: 30_000 }).toBe(before + 1)
    await ledger.close()
    await expect.poll(() => timesOpen(`${file}-wal`), { timeout: 30_000 }).toBe(0)
    expect(await readdir(dirname(file))).toEqual(['ledger.db'])
  },
)

async function timesOpen(path: string): Promise<number> {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(path)).length
}
