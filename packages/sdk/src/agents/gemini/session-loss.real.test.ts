import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { importTranscripts, restoreSession } from '@remora/intake'
import { openLedger } from '@remora/ledger'
import type { Scenario } from '@remora/scripted-model'
import { listTestVersions, pinned } from '@remora/testkit'
import { describe, expect, it } from 'vitest'
import { acpClient } from './acp-client.test-data.ts'
import { guard } from './guard.ts'
import { lab, raw } from './lab.test-data.ts'
import { protect } from './protect-resume.ts'
import { atLeast } from '../../versions/version.ts'

const version = '0.61.0'
const talk: Scenario = {
  name: 'talk',
  title: 'Some answers',
  prompt: 'One',
  mode: 'default',
  turns: [[{ text: 'First.' }], [{ text: 'Second.' }], [{ text: 'Third.' }], [{ text: 'Fourth.' }]],
}

type Lab = Awaited<ReturnType<typeof lab>>

/** A lab with a ledger in it. */
async function keeping(cli: string = version) {
  const place = await lab(cli, talk)
  const ledger = await openLedger({ file: join(place.home.path, '.remora', 'ledger.db') })
  const where = { env: place.env, home: place.home.path }
  return {
    ...place,
    ledger,
    place: { ...where, cwd: place.home.cwd, version: cli },
    chats: join(place.folder, 'tmp', 'work', 'chats'),
    bring: () => importTranscripts(ledger, where),
    restore: (session: string, for_ = cli) =>
      restoreSession(ledger, { agent: 'gemini', session }, { ...where, version: for_ }),
    async archived(session: string) {
      return (await ledger.session({ agent: 'gemini', session }))?.archivedAt !== undefined
    },
    async [Symbol.asyncDispose]() {
      await ledger.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Sends the first prompt and returns the id of the session. */
async function begin(place: Lab): Promise<string> {
  const { output } = await raw(place, ['-p', 'One'])
  return /"session_id": ?"([^"]+)"/.exec(output)![1]!
}

/** Turns on retention, which is the default, and makes all sessions some minutes older. */
async function asUsual({ folder, chats }: { folder: string; chats: string }): Promise<void> {
  const file = join(folder, 'settings.json')
  const settings = JSON.parse(await readFile(file, 'utf8')) as { general: Record<string, unknown> }
  delete settings.general['sessionRetention']
  await writeFile(file, JSON.stringify(settings, undefined, 2))
  for (const name of await readdir(chats))
    await rename(join(chats, name), join(chats, name.replace(/T[\d-]{5}/, 'T00-00')))
}

/** The conversation in the last request. */
const history = (place: Lab) => JSON.stringify((place.turn()!.body as { contents: unknown }).contents)
const load = (place: Lab, sessionId: string) => ({ sessionId, cwd: place.home.cwd, mcpServers: [] })
const hello = { protocolVersion: 1, clientCapabilities: {} }

describe('a session that was resumed, and another start', () => {
  it('survives after remora guard', async () => {
    await using place = await keeping()
    const id = await begin(place)
    await asUsual(place)
    expect((await raw(place, ['-r', id, '-p', 'Two'])).code).toBe(0)
    await (await guard(place.place))!.apply()
    expect((await raw(place, ['-p', 'Other'])).code).toBe(0)
    expect((await raw(place, ['-r', id, '-p', 'Three'])).code).toBe(0)
    expect(history(place)).toMatch(/One.*First\..*Two.*Second\..*Three/s)
    expect(await guard(place.place)).toBeUndefined()
  })

  it('is lost without it, and is restored from the ledger', async () => {
    await using place = await keeping()
    const id = await begin(place)
    await asUsual(place)
    expect((await raw(place, ['-r', id, '-p', 'Two'])).code).toBe(0)
    await place.bring()
    expect((await raw(place, ['-p', 'Other'])).code).toBe(0)
    expect((await readdir(place.chats)).filter((name) => name.includes(id.slice(0, 8)))).toEqual([])
    expect((await raw(place, ['-r', id, '-p', 'Three'])).code).toBe(42)
    await place.bring()
    expect(await place.archived(id)).toBe(true)

    const restored = await place.restore(id)
    expect(restored).toMatchObject({ session: id, setAside: [], cwd: place.home.cwd })
    expect(await place.archived(id)).toBe(false)
    // Other starts in between do no harm.
    expect((await raw(place, ['-p', 'Other'])).code).toBe(0)
    expect((await raw(place, ['-r', id, '-p', 'Three'])).code).toBe(0)
    expect(history(place)).toMatch(/One.*First\..*Two.*Second\..*Three/s)
    expect(await place.restore(id)).toMatchObject({ files: [], intact: restored.files[0] })
    expect(await place.bring()).toMatchObject({ archived: 0 })
    expect(await place.archived(id)).toBe(false)
  })
})

// Each test waits for a minute to end or begin.
describe('a session that is loaded over ACP in the minute in which it began', { timeout: 300_000 }, () => {
  const minute = () => new Date().toISOString().slice(0, 16).replace(':', '-')
  // The CLI starts twice before the load ends, which takes half a minute on a busy machine, and all of it must be in
  // the same minute.
  const early = async (): Promise<void> => {
    const second = new Date().getUTCSeconds()
    if (second > 10) await sleep((60 - second) * 1000)
  }

  it('is destroyed, and is restored from the ledger', async () => {
    await using place = await keeping()
    await early()
    const id = await begin(place)
    const [name = ''] = await readdir(place.chats)
    await using client = acpClient(place)
    await client.call('initialize', hello)
    await expect(client.call('session/load', load(place, id))).rejects.toThrow('-32603')
    expect((await raw(place, ['-r', id, '-p', 'Two'])).code).toBe(42)

    const restored = await place.restore(id)
    expect(restored.setAside).toEqual([join(place.chats, `${name}.damaged`)])
    expect(restored.files).not.toContain(join(place.chats, name))
    expect((await raw(place, ['-r', id, '-p', 'Two'])).code).toBe(0)
    expect(history(place)).toMatch(/One.*First\..*Two/s)
    await using again = acpClient(place)
    await again.call('initialize', hello)
    await again.call('session/load', load(place, id))
    await again.call('session/prompt', { sessionId: id, prompt: [{ type: 'text', text: 'Three' }] })
    expect(history(place)).toMatch(/One.*First\..*Two.*Second\..*Three/s)
  })

  it('is loaded by Remora only in the next minute', async () => {
    await using place = await keeping()
    const id = await begin(place)
    const [name = ''] = await readdir(place.chats)
    const { finish } = await protect(place.place, id, { way: 'acp' })
    expect(name).not.toContain(minute())
    await using client = acpClient(place)
    await client.call('initialize', hello)
    await client.call('session/load', load(place, id))
    await client.call('session/prompt', { sessionId: id, prompt: [{ type: 'text', text: 'Two' }] })
    expect(history(place)).toMatch(/One.*First\..*Two/s)
    expect(await finish()).toEqual([])
    expect((await readdir(place.chats)).filter((each) => each.includes(id.slice(0, 8)))).toEqual([name])
  })

  it.each(listTestVersions('gemini').filter((each) => each.startsWith('0.34.')))(
    'is loaded at once with %s, which reads before it writes',
    async (old) => {
      await using place = await keeping(old)
      await early()
      const id = await begin(place)
      const names = await readdir(place.chats)
      const { finish } = await protect(place.place, id, { way: 'acp' })
      await using client = acpClient(place)
      await client.call('initialize', hello)
      await client.call('session/load', load(place, id))
      expect(names[0]).toContain(minute())
      await client.call('session/prompt', { sessionId: id, prompt: [{ type: 'text', text: 'Two' }] })
      expect(history(place)).toMatch(/One.*First\..*Two/s)
      expect(await finish()).toEqual([])
      expect(await readdir(place.chats)).toEqual(names)
    },
  )
})

describe.each(listTestVersions('gemini').filter((each) => !atLeast(each, '0.45.0')))(
  'a session of %s that was deleted',
  (old) => {
    it('is restored for the same version and for the newest', async () => {
      await using place = await keeping(old)
      const id = await begin(place)
      await place.bring()
      await rm(join(place.folder, 'tmp'), { recursive: true })

      const restored = await place.restore(id)
      expect(restored.files[0]).toMatch(/\.json$/)
      expect((await raw(place, ['-r', id, '-p', 'Two'])).code).toBe(0)
      expect(history(place)).toMatch(/One.*First\..*Two/s)

      await place.bring()
      await rm(join(place.folder, 'tmp'), { recursive: true })
      const newest = { ...place, env: { ...place.env, GEMINI_CLI_PATH: pinned('gemini', version).path } }
      expect((await place.restore(id, version)).files[0]).toMatch(/\.jsonl$/)
      expect((await raw(newest, ['-r', id, '-p', 'Three'])).code).toBe(0)
      expect(history(place)).toMatch(/One.*First\..*Two.*Second\..*Three/s)
    })
  },
)
