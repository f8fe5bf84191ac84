import { spawn } from 'node:child_process'
import { readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scenario } from '@remora/scripted-model'
import { repository } from '@remora/testkit'
import { expect, it } from 'vitest'
import type { RunOptions } from '../../index.ts'
import { filesBelow } from './folder.test-data.ts'
import { lab, raw } from './lab.test-data.ts'

const version = '0.61.0'
const talk: Scenario = {
  name: 'talk',
  title: 'Three answers',
  prompt: 'One',
  mode: 'default',
  turns: [[{ text: 'First.' }], [{ text: 'Second.' }], [{ text: 'Third.' }]],
}

type Lab = Awaited<ReturnType<typeof lab>>

/** A session of an earlier minute in a home with retention on, which is the default. */
async function withOldSession(place: Lab) {
  const file = join(place.folder, 'settings.json')
  const settings = JSON.parse(await readFile(file, 'utf8')) as { general: object }
  const general = { ...settings.general, sessionRetention: { enabled: true, maxAge: '30d' } }
  await writeFile(file, JSON.stringify({ ...settings, general }))
  const { sessionId } = await place.start().result
  const chats = join(place.folder, 'tmp', 'work', 'chats')
  const [name = ''] = await readdir(chats)
  const old = name.replace(/^session-[\d-]+T[\d-]{5}/, 'session-2026-01-02T03-04')
  await rename(join(chats, name), join(chats, old))
  return { id: sessionId, chats, old }
}

/** The conversation in the last request. */
const history = (place: Lab) => JSON.stringify((place.turn()!.body as { contents: unknown }).contents)

it('is needed: the CLI alone loses a session that it resumed', async () => {
  await using place = await lab(version, talk)
  const { id, chats, old } = await withOldSession(place)
  expect((await raw(place, ['-r', id, '-p', 'Two'])).code).toBe(0)
  expect(await readdir(chats)).toHaveLength(2)
  expect((await raw(place, ['-p', 'Other'])).code).toBe(0)
  expect(await readdir(chats)).not.toContain(old)
  expect(await raw(place, ['-r', id, '-p', 'Three'])).toMatchObject({
    code: 42,
    output: expect.stringContaining('Invalid session identifier') as string,
  })
})

it('keeps a session that is resumed through Remora', async () => {
  await using place = await lab(version, talk)
  const { id, chats, old } = await withOldSession(place)

  const second = await place.start({ prompt: 'Two', resume: id }).result
  expect(second).toMatchObject({ ok: true, text: 'Second.', sessionId: id })
  expect(await readdir(chats)).toEqual([old])

  expect((await raw(place, ['-p', 'Other'])).code).toBe(0)
  expect(await readdir(chats)).toContain(old)
  const third = await raw(place, ['-r', id, '-p', 'Three'])
  expect(third.output).toContain('Third.')
  expect(history(place)).toMatch(/One.*First\..*Two.*Second\..*Three/s)
  expect(await filesBelow(join(place.home.path, '.remora'))).toEqual([])
})

it('resolves and forks the latest session', async () => {
  await using place = await lab(version, talk)
  const { id, chats, old } = await withOldSession(place)
  const before = await readFile(join(chats, old), 'utf8')

  const forked = await place.start({ prompt: 'Two', resume: true, fork: true }).result
  expect(forked).toMatchObject({ ok: true, text: 'Second.' })
  expect(forked.sessionId).not.toBe(id)
  expect(history(place)).toMatch(/One.*First\..*Two/s)
  expect(await readFile(join(chats, old), 'utf8')).toBe(before)
  expect(await readdir(chats)).toHaveLength(2)

  expect((await raw(place, ['-p', 'Other'])).code).toBe(0)
  const original = await place.start({ prompt: 'Two', resume: id }).result
  expect(original).toMatchObject({ ok: true, sessionId: id, text: 'Second.' })
  const fork = await place.start({ prompt: 'Three', resume: forked.sessionId }).result
  expect(fork).toMatchObject({ ok: true, text: 'Third.' })
})

it('restores a session after our process was killed', async () => {
  const slow = { ...talk, turns: [talk.turns[0]!, [{ text: ['Sec', 'ond.'], delayMs: 60_000 }]] }
  await using place = await lab(version, slow)
  const { id, chats, old } = await withOldSession(place)
  const program = join(place.home.path, 'program.mts')
  await writeFile(
    program,
    `import { run } from ${JSON.stringify(join(repository, 'packages/sdk/src/index.ts'))}
     await run('gemini', JSON.parse(process.argv[2])).result`,
  )
  const options: RunOptions = { prompt: 'Two', resume: id, cwd: place.home.cwd, env: place.env }
  const ours = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(options)], {
    cwd: repository,
    stdio: 'inherit',
  })
  await place.model.waitFor((request) => request.kind === 'turn' && request.prompt === 'Two')
  const gone = new Promise((resolve) => ours.once('exit', resolve))
  ours.kill('SIGKILL')
  await gone
  for (const process of await place.home.leftovers()) globalThis.process.kill(process.pid, 'SIGKILL')
  // The damage that another start of the CLI would have done.
  await writeFile(join(chats, old), '')

  place.model.use(talk)
  const second = await place.start({ prompt: 'Two', resume: id }).result
  expect(second).toMatchObject({ ok: true, text: 'Second.', sessionId: id })
  expect(history(place)).toMatch(/One.*First\..*Two/s)
  expect(await filesBelow(join(place.home.path, '.remora'))).toEqual([])
})
