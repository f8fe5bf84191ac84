import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allOf, anyOf, filesExist } from './completion.ts'

let turn: { cwd: string; text: string; round: number }

beforeAll(async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'remora-completion-'))
  await writeFile(join(cwd, 'a.md'), '')
  await mkdir(join(cwd, 'folder'))
  turn = { cwd, text: 'done', round: 1 }
})

afterAll(() => rm(turn.cwd, { recursive: true, force: true }))

it('requires files, and names the missing ones', async () => {
  expect(await filesExist('a.md')(turn)).toBeUndefined()
  expect(await filesExist(join(turn.cwd, 'a.md'))(turn)).toBeUndefined()
  expect(await filesExist('a.md', 'b.md')(turn)).toBe('This file is still missing: b.md')
  expect(await filesExist('b.md', 'folder')(turn)).toBe('These files are still missing: b.md, folder')
})

it('requires all checks, or any', async () => {
  const done = filesExist('a.md')
  const says =
    (word: string) =>
    ({ text }: { text: string }) =>
      text.includes(word) ? undefined : `Say ${word}.`
  expect(await allOf(done, says('done'))(turn)).toBeUndefined()
  expect(await allOf(filesExist('b.md'), done, says('bye'))(turn)).toBe(
    'This file is still missing: b.md\nSay bye.',
  )
  expect(await anyOf(says('bye'), done)(turn)).toBeUndefined()
  expect(await anyOf(says('bye'), says('ciao'))(turn)).toBe('One of these is enough:\nSay bye.\nSay ciao.')
  expect(await anyOf(says('bye'))(turn)).toBe('Say bye.')
})

it('rejects an empty list of checks', () => {
  expect(() => filesExist()).toThrow('filesExist: nothing is given')
  expect(() => allOf()).toThrow('allOf')
  expect(() => anyOf()).toThrow('anyOf')
})
