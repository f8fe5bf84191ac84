import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { setJsonc } from './jsonc-edit.ts'
import { editSettings } from './settings-file.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-settings-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const setA = (text: string) => setJsonc(text, ['a'], 1)

it('creates a private file and leaves no other file', async () => {
  const file = join(folder, 'new', 'settings.json')
  await editSettings(file, setA)
  expect(await readFile(file, 'utf8')).toBe('{\n  "a": 1\n}\n')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(join(folder, 'new'))).toEqual(['settings.json'])
})

it('follows a link and keeps the mode', async () => {
  await mkdir(join(folder, 'dotfiles'))
  const real = join(folder, 'dotfiles', 'gemini.json')
  const link = join(folder, 'settings.json')
  await writeFile(real, '{"b":2}')
  await chmod(real, 0o640)
  await symlink(real, link)
  await editSettings(link, setA)
  expect((await lstat(link)).isSymbolicLink()).toBe(true)
  expect(await readFile(real, 'utf8')).toBe('{"b":2,"a":1}')
  expect((await stat(real)).mode & 0o777).toBe(0o640)
})

it.each([
  ['a malformed one', '{"a": '],
  ['one that is no text', Buffer.from([0x7b, 0xff, 0x7d])],
])('leaves %s as it is', async (_, content) => {
  const file = join(folder, 'settings.json')
  await writeFile(file, content)
  await expect(editSettings(file, setA)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(file) as string,
    hint: expect.stringContaining('othing was changed') as string,
  })
  expect(await readFile(file)).toEqual(Buffer.from(content))
  expect(await readdir(folder)).toEqual(['settings.json'])
})

it('does not overwrite a folder or write through a dangling link', async () => {
  await mkdir(join(folder, 'settings.json'))
  await expect(editSettings(join(folder, 'settings.json'), setA)).rejects.toMatchObject({ code: 'config' })
  await symlink(join(folder, 'none'), join(folder, 'link'))
  await expect(editSettings(join(folder, 'link'), setA)).rejects.toMatchObject({ code: 'config' })
  expect(await readdir(folder)).toEqual(['link', 'settings.json'])
})

it('retries if another program writes in the meantime', async () => {
  const file = join(folder, 'settings.json')
  await writeFile(file, '{}')
  let disturbed = false
  await editSettings(file, (text) => {
    if (!disturbed) writeFileSync(file, '{"b":2}')
    disturbed = true
    return setA(text)
  })
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ a: 1, b: 2 })
})

it('gives up if another program keeps writing', async () => {
  const file = join(folder, 'settings.json')
  let count = 0
  const edit = (text: string) => {
    writeFileSync(file, `{"count":${count++}}`)
    return setA(text)
  }
  await expect(editSettings(file, edit)).rejects.toMatchObject({ code: 'conflict' })
  expect(await readFile(file, 'utf8')).toBe(`{"count":${count - 1}}`)
})
