import { realpath, realpathSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInside, resolveRealPath } from './real-path.ts'

let folder: string
beforeAll(async () => {
  folder = realpathSync.native(await mkdtemp(join(tmpdir(), 'remora-place-')))
  await mkdir(join(folder, 'a/deep'), { recursive: true })
  await mkdir(join(folder, 'b'))
  await writeFile(join(folder, 'a/file'), '')
  await symlink('../b', join(folder, 'a/sideways'))
  await symlink(join(folder, 'a/deep'), join(folder, 'b/absolute'))
  await symlink('../nowhere/at/all', join(folder, 'a/dangling'))
  await symlink('loop', join(folder, 'loop'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('resolveRealPath', () => {
  it.each([
    ['a/file', 'a/file'],
    ['a/./deep//', 'a/deep'],
    ['a/sideways', 'b'],
    ['a/sideways/..', '.'],
    ['a/sideways/../x', 'x'],
    ['a/sideways/absolute/new', 'a/deep/new'],
    ['b/absolute/../../c', 'c'],
    ['a/dangling', 'nowhere/at/all'],
    ['a/dangling/more', 'nowhere/at/all/more'],
    ['missing/../a/sideways/x', 'b/x'],
    ['a/file/x', 'a/file/x'],
  ])('resolves %s to %s', async (path, place) => {
    expect(await resolveRealPath(`${folder}/${path}`)).toBe(join(folder, place))
  })

  it('stops at the root and fails on a loop', async () => {
    expect(await resolveRealPath('/../../..')).toBe('/')
    await expect(resolveRealPath(join(folder, 'loop/x'))).rejects.toMatchObject({ code: 'input' })
  })

  it('agrees with the system on everything that exists', async () => {
    const part = fc.constantFrom('a', 'b', 'deep', 'sideways', 'absolute', '..', '.', 'file')
    let agreed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const path = [folder, ...parts].join('/')
        // Not JavaScript's `realpath`, which removes `..` first.
        const place = await promisify(realpath.native)(path).catch(() => undefined)
        if (place === undefined) return
        agreed++
        expect(await resolveRealPath(path)).toBe(place)
      }),
      { numRuns: 300 },
    )
    expect(agreed).toBeGreaterThan(20)
  })
})

describe('isInside', () => {
  it.each([
    ['/home/a', '/home/a', true],
    ['/home/a', '/home/a/b', true],
    ['/home/a', '/home/a/..b', true],
    ['/home/a', '/home/ab', false],
    ['/home/a', '/home', false],
    ['/home/a', '/', false],
    ['/', '/anything', true],
  ])('%s and %s: %s', (outer, path, inside) => {
    expect(isInside(outer, path)).toBe(inside)
  })
})
