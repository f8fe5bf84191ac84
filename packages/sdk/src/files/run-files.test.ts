import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { headless as claude } from '../agents/claude/headless.ts'
import { headless as codex } from '../agents/codex/headless.ts'
import { headless as gemini } from '../agents/gemini/headless.ts'
import { headless as opencode } from '../agents/opencode/headless.ts'
import { createRunFolder, removeLeftovers, writeRunFiles } from './run-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'remora-files-of-runs-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(root, { recursive: true, force: true })
})

/** A folder with a secret in it, as the process with that pid would have made it. */
async function left(name: string): Promise<string> {
  const folder = join(root, name)
  await mkdir(folder)
  await writeFile(join(folder, 'mcp.json'), 'secret')
  return folder
}
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid
const hex = (text: string) => Buffer.from(text).toString('hex')

it('removes the files of a run', async () => {
  const files = await writeRunFiles({ 'a.txt': 'secret' }, root)
  expect(readFileSync(files.path('a.txt'), 'utf8')).toBe('secret')
  expect(statSync(dirname(files.path('a.txt'))).mode & 0o077).toBe(0)
  await files.remove()
  expect(await readdir(root)).toEqual([])
})

it('leaves nothing behind if a file cannot be written', async () => {
  await expect(writeRunFiles({ 'no/such/folder': '' }, root)).rejects.toThrow('ENOENT')
  expect(await readdir(root)).toEqual([])
})

it('removes the files of dead processes and keeps those of running and unknown ones', async () => {
  const pid = deadPid()
  for (const kind of ['run', 'gemini', 'media']) await left(`remora-${kind}-${pid}-${hex('123')}-Ab1c2D`)
  await left(`remora-run-${pid}-Ab1c2D`)
  const used = [
    await createRunFolder('run', root),
    await createRunFolder('media', root),
    await left(`remora-run-${process.pid}-Ab1c2D`),
    await left(`remora-run-${process.pid}--Ab1c2D`),
    await left(`remora-other-${pid}-Ab1c2D`),
    // A report that was unpacked.
    await left('remora-codex-2026-11-19'),
    await left(`remora-codex-${pid}-${hex('123')}`),
    await left('remora-run-files-Ab1c2D'),
  ]
  await removeLeftovers(root)
  expect((await readdir(root)).map((name) => join(root, name)).toSorted()).toEqual(used.toSorted())
})

it('removes the files of a dead process whose pid was reused', async () => {
  const folder = await left(`remora-run-${process.pid}-${hex('long ago')}-Ab1c2D`)
  await removeLeftovers(root)
  expect(existsSync(folder)).toBe(false)
})

it.each(Object.entries({ claude, codex, gemini, opencode }))(
  'that were left are removed by the next run of %s, even if it needs none itself',
  async (_name, headless) => {
    vi.stubEnv('TMPDIR', root)
    const gone = await left(`remora-run-${deadPid()}-${hex('123')}-Ab1c2D`)
    const used = await createRunFolder('run')
    const prepared = await headless.prepare!({ prompt: 'hi' }, { env: {}, home: root, cwd: root })
    expect([existsSync(gone), existsSync(used)]).toEqual([false, true])
    expect(await prepared.finish()).toEqual([])
  },
)
