import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { writeInto } from './folder.test-data.ts'
import { guard } from './guard.ts'

let place: Place
let file = ''
beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'remora-guard-'))
  place = { env: {}, home, cwd: home, version: '0.61.0' }
  file = join(home, '.gemini', 'settings.json')
})
afterEach(() => rm(place.home, { recursive: true, force: true }))

const settings = (text: string) => writeInto(place.home, '.gemini/settings.json', text)

it('does nothing if the CLI was never used', async () => {
  expect(await guard(place)).toBeUndefined()
})

it('turns off retention in the user’s settings once', async () => {
  await settings('{\n  // mine\n  "general": { "vimMode": true },\n}\n')
  const found = await guard(place)
  expect(found).toMatchObject({ file, change: 'general.sessionRetention.enabled: false' })
  expect(found?.problem).toMatchObject({
    code: 'session_retention',
    message: expect.stringContaining('resumed') as string,
  })
  await found!.apply()
  expect(await readFile(file, 'utf8')).toBe(
    '{\n  // mine\n  "general": { "vimMode": true, "sessionRetention": { "enabled": false } },\n}\n',
  )
  expect(await guard(place)).toBeUndefined()
})

it('creates missing settings', async () => {
  await mkdir(join(place.home, '.gemini'))
  await (await guard(place))!.apply()
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    general: { sessionRetention: { enabled: false } },
  })
})

it('respects the default of each version', async () => {
  await settings('{}')
  expect(await guard({ ...place, version: '0.27.4' })).toBeUndefined()
  expect(await guard({ ...place, version: undefined })).toBeDefined()
  expect((await guard({ ...place, version: '0.34.0' }))?.problem.message).not.toContain('resumed')
  await settings('{"general": {"sessionRetention": {"enabled": true}}}')
  expect(await guard({ ...place, version: '0.27.4' })).toBeDefined()
})

it.each(['{"general": ', '[]', '{"general": "text"}'])('refuses %s and leaves it unchanged', async (text) => {
  await settings(text)
  const changed = guard(place).then((found) => found?.apply())
  await expect(changed).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(file) as string,
  })
  expect(await readFile(file, 'utf8')).toBe(text)
})
