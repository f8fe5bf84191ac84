import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeRunFiles } from './run-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'remora-run-files-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

it('go with their run', async () => {
  const files = await writeRunFiles({ 'a.txt': 'secret' }, root)
  expect(readFileSync(files.path('a.txt'), 'utf8')).toBe('secret')
  await files.remove()
  expect(await readdir(root)).toEqual([])
})

it('of a process that was killed go with the next run; those of a living one stay', async () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid
  const left = join(root, `remora-run-${gone}-abc`)
  const used = join(root, `remora-run-${process.pid}-abc`)
  for (const folder of [left, used]) {
    await mkdir(folder)
    await writeFile(join(folder, 'a.txt'), 'secret')
  }
  const files = await writeRunFiles({}, root)
  expect([existsSync(left), existsSync(used)]).toEqual([false, true])
  await files.remove()
})

it('leave nothing where one cannot be written', async () => {
  await expect(writeRunFiles({ 'no/such/folder': '' }, root)).rejects.toThrow('ENOENT')
  expect(await readdir(root)).toEqual([])
})
