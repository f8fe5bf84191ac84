import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expandGlob } from './glob.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'remora-glob-'))
  for (const name of ['v9.0.0', 'v20.1.0', 'v20.10.0', 'lts', 'current', 'v20.10.0-rc.1']) {
    await mkdir(join(root, 'node', name), { recursive: true })
  }
  await mkdir(join(root, 'installs/npm-a/1.0.0'), { recursive: true })
  await mkdir(join(root, 'installs/npm-b/2.0.0'), { recursive: true })
  await mkdir(join(root, 'installs/npmXc/3.0.0'), { recursive: true })
  await writeFile(join(root, 'file'), '')
})
afterAll(() => rm(root, { recursive: true, force: true }))

describe('expandGlob', () => {
  it('sorts newer versions first and other names last', async () => {
    expect(await expandGlob(`${root}/node/*/bin`, 'linux')).toEqual(
      ['v20.10.0', 'v20.10.0-rc.1', 'v20.1.0', 'v9.0.0', 'current', 'lts'].map(
        (name) => `${root}/node/${name}/bin`,
      ),
    )
  })

  it('expands several wildcards and returns only matches', async () => {
    expect(await expandGlob(`${root}/installs/npm-*/*/bin`, 'linux')).toEqual([
      `${root}/installs/npm-a/1.0.0/bin`,
      `${root}/installs/npm-b/2.0.0/bin`,
    ])
  })

  it('returns a path without wildcards unchanged, and nothing for a missing folder', async () => {
    expect(await expandGlob('/opt/homebrew/bin', 'linux')).toEqual(['/opt/homebrew/bin'])
    expect(await expandGlob(`${root}/nowhere/*/bin`, 'linux')).toEqual([])
    expect(await expandGlob(`${root}/file/*/bin`, 'linux')).toEqual([])
  })
})
