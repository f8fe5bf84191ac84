import { appendFile, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { protectResume } from '../../contract/transcripts.ts'
import { filesBelow, writeInto } from './folder.test-data.ts'
import { gemini } from './index.ts'
import { waitUntilLoadable } from './protect-resume.ts'

const id = '247a8d8a-4b48-46e2-b7fd-0b932556739a'
const began = '2026-01-01T00:00:00.000Z'
const header = { sessionId: id, projectHash: 'p', startTime: began, lastUpdated: began, kind: 'main' }
const lines = (...list: object[]) => list.map((record) => `${JSON.stringify(record)}\n`).join('')
const session = lines(
  header,
  { id: 'u', type: 'user', content: 'One' },
  { id: 'g', type: 'gemini', content: 'First' },
)
const more = lines({ id: 'u2', type: 'user', content: 'Two' })
const emptied = lines(header, { $set: { messages: [] } })
const name = 'session-2026-01-01T00-00-247a8d8a.jsonl'
const thisMinute = () => new Date().toISOString().slice(0, 16).replace(':', '-')

let place: Place
let chats = ''
beforeEach(async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'remora-protect-')))
  place = { env: {}, home, cwd: join(home, 'work'), version: '0.61.0' }
  chats = join(home, '.gemini', 'tmp', 'work', 'chats')
  await writeInto(home, 'work/.keep', '')
  await writeInto(home, '.gemini/projects.json', JSON.stringify({ projects: { [place.cwd]: 'work' } }))
})
afterEach(() => rm(place.home, { recursive: true, force: true }))

it('keeps a session intact while it is resumed on any channel', async () => {
  for (const way of ['headless', 'terminal', 'acp'] as const) {
    await writeInto(chats, name, session)
    const resumed = await protectResume(gemini, 'latest', place, { way })
    expect(resumed.id).toBe(id)
    await appendFile(join(chats, name), emptied)
    expect(await resumed.finish()).toEqual([expect.objectContaining({ code: 'session_restored' })])
    expect(await readFile(join(chats, name), 'utf8')).toMatch(session)
  }
})

it('removes the second file while the CLI still runs', async () => {
  await writeInto(chats, name, session)
  const { finish } = await protectResume(gemini, id, place, { way: 'terminal' })
  await writeInto(chats, 'session-2026-01-01T00-07-247a8d8a.jsonl', lines(header))
  await appendFile(join(chats, name), more)
  await vi.waitFor(async () => expect(await filesBelow(chats)).toEqual([name]), { timeout: 30_000 })
  expect(await finish()).toEqual([])
})

it('leaves reporting an unknown session to the CLI', async () => {
  const resumed = await protectResume(gemini, 'none', place, { way: 'acp' })
  expect(resumed.id).toBe('none')
  expect(await resumed.finish()).toEqual([])
})

it('does nothing for agents that lose no sessions', async () => {
  const { transcripts: _, ...bare } = gemini
  const resumed = await protectResume(bare, 'x', place)
  expect(resumed.id).toBe('x')
  expect(await resumed.finish()).toEqual([])
})

it('waits for the next minute before a session of this one is loaded', async () => {
  await writeInto(chats, name, session)
  await waitUntilLoadable(place, id)
  // Includes the next minute, in case it begins during the test.
  const next = new Date(Date.now() + 60_000).toISOString().slice(0, 16).replace(':', '-')
  for (const minute of [thisMinute(), next])
    await writeInto(chats, `session-${minute}-247a8d8a.jsonl`, session)
  await expect(waitUntilLoadable(place, id, AbortSignal.timeout(50))).rejects.toThrow()
  const waiting = protectResume(gemini, id, place, { way: 'acp', signal: AbortSignal.timeout(50) })
  await expect(waiting).rejects.toThrow()
  // No copy is left behind.
  await sleep(0)
  expect(await filesBelow(join(place.home, '.remora'))).toEqual([])
})
