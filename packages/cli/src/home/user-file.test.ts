import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { editUserFile, readUserFile } from './user-file.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-person-'))
  file = join(folder, 'state', 'words.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('starts empty, and is private to the user', async () => {
  expect(await readUserFile<string[]>(file, [])).toEqual([])
  expect(await editUserFile<string[]>(file, [], (words) => [...words, 'a'])).toEqual(['a'])
  expect(await readUserFile<string[]>(file, [])).toEqual(['a'])
  expect(readFileSync(file, 'utf8')).toBe('[\n  "a"\n]\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('survives concurrent writes and leaves no other files', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index)
  await Promise.all(numbers.map((each) => editUserFile<number[]>(file, [], (all) => [...all, each])))
  expect((await readUserFile<number[]>(file, [])).sort((one, other) => one - other)).toEqual(numbers)
  expect(readdirSync(join(folder, 'state'))).toEqual(['words.json'])
})

it.each(['{', '"a"', '{"a": 1}', 'null'])('refuses %s and leaves it unchanged', async (text) => {
  await editUserFile<string[]>(file, [], () => [])
  writeFileSync(file, text)
  await expect(readUserFile<string[]>(file, [])).rejects.toMatchObject({ code: 'config' })
  await expect(editUserFile<string[]>(file, [], (words) => words)).rejects.toMatchObject({ code: 'config' })
  expect(readFileSync(file, 'utf8')).toBe(text)
})

it('takes over the lock of a process that died', async () => {
  await editUserFile<string[]>(file, [], () => [])
  writeFileSync(`${file}.lock`, '')
  utimesSync(`${file}.lock`, 1, 1)
  expect(await editUserFile<string[]>(file, [], () => ['b'])).toEqual(['b'])
})
