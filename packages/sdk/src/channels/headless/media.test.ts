import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { prepareMedia } from './media.ts'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'remora-attached-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

it('resolves files in the working directory, and writes bytes to a temporary file', async () => {
  await writeFile(join(cwd, 'a.png'), 'PNG')
  const bytes = new Uint8Array([1])
  const { files, remove } = await prepareMedia([{ path: 'a.png' }, { bytes, mediaType: 'audio/wav' }], cwd)
  expect(files).toMatchObject([
    { path: join(cwd, 'a.png'), kind: 'image', mediaType: 'image/png' },
    { kind: 'audio', mediaType: 'audio/wav' },
  ])
  expect(existsSync(files[1]!.path)).toBe(true)
  await remove()
  expect(files.map(({ path }) => existsSync(path))).toEqual([true, false])
})

it.each(['folder.png', 'missing.png'])('names %s in the error, which is not a file', async (name) => {
  await mkdir(join(cwd, 'folder.png'))
  await expect(prepareMedia([{ path: name }], cwd)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(join(cwd, name)) as string,
  })
})
