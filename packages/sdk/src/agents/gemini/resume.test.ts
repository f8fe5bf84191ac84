import { appendFile, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { filesBelow, writeInto } from './folder.test-data.ts'
import { forkSession } from './fork-session.ts'
import { prepare } from './prepare.ts'

const id = '247a8d8a-4b48-46e2-b7fd-0b932556739a'
const began = '2026-01-01T00:00:00.000Z'
const header = { sessionId: id, projectHash: 'p', startTime: began, lastUpdated: began, kind: 'main' }
const records = [
  { id: 'u', type: 'user', content: [{ text: 'One' }] },
  { id: 'g', type: 'gemini', content: 'First' },
]
const lines = (...list: object[]) => list.map((record) => `${JSON.stringify(record)}\n`).join('')
const more = lines({ id: 'u2', type: 'user', content: [{ text: 'Two' }] })

let place: Place
let chats = ''
beforeEach(async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'remora-resume-')))
  place = { env: {}, home, cwd: join(home, 'work'), version: '0.61.0' }
  chats = join(home, '.gemini', 'tmp', 'work', 'chats')
  await writeInto(home, 'work/.keep', '')
  await writeInto(home, '.gemini/projects.json', JSON.stringify({ projects: { [place.cwd]: 'work' } }))
})
afterEach(() => rm(place.home, { recursive: true, force: true }))

const name = 'session-2026-01-01T00-00-247a8d8a.jsonl'
const session = lines(header, ...records)
const stub = lines(header)

describe('a prepared resume', () => {
  it('names the session by its id and keeps what the CLI wrote', async () => {
    await writeInto(chats, name, session)
    const prepared = await prepare({ prompt: 'hi', resume: 'latest' }, place)
    expect(prepared.request).toEqual({ prompt: 'hi', resume: id })
    await appendFile(join(chats, name), more)
    expect(await prepared.finish()).toEqual([])
    expect(await readFile(join(chats, name), 'utf8')).toBe(session + more)
  })

  it('removes the stub while the CLI still runs', async () => {
    await writeInto(chats, name, session)
    const prepared = await prepare({ prompt: 'hi', resume: id }, place)
    await writeInto(chats, 'session-2026-01-01T00-07-247a8d8a.jsonl', stub)
    await appendFile(join(chats, name), more)
    for (let tries = 0; tries < 1_500 && (await filesBelow(chats)).length > 1; tries++)
      await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await filesBelow(chats)).toEqual([name])
    await prepared.finish()
  })

  it('reports and restores lost messages', async () => {
    await writeInto(chats, name, session)
    const prepared = await prepare({ prompt: 'hi', resume: id }, place)
    await rm(join(chats, name))
    expect(await prepared.finish()).toHaveLength(1)
    expect(await readFile(join(chats, name), 'utf8')).toBe(session)
  })

  it('leaves reporting an unknown session to the CLI', async () => {
    const request = { prompt: 'hi', resume: 'gone' }
    const prepared = await prepare(request, place)
    expect(prepared.request).toEqual(request)
    expect(await prepared.finish()).toEqual([])
  })
})

describe('a fork', () => {
  it('resumes a copy with its own id, and removes it if it was not continued', async () => {
    await writeInto(chats, name, session)
    const prepared = await prepare({ prompt: 'hi', resume: id, fork: true }, place)
    const { resume } = prepared.request
    expect(resume).not.toBe(id)
    expect(prepared.request).toEqual({ prompt: 'hi', resume })
    const fork = (await filesBelow(chats)).find((file) => file !== name)!
    expect(fork).toContain(resume!.slice(0, 8))
    const [head, ...rest] = (await readFile(join(chats, fork), 'utf8')).trimEnd().split('\n')
    expect(JSON.parse(head!)).toMatchObject({ sessionId: resume, projectHash: 'p' })
    expect(rest.map((line): unknown => JSON.parse(line))).toEqual(records)
    await prepared.finish()
    expect(await filesBelow(chats)).toEqual([name])
    expect(await readFile(join(chats, name), 'utf8')).toBe(session)
  })

  it('stays if the CLI continued it', async () => {
    await writeInto(
      chats,
      name,
      lines(header, ...records, { $set: { sessionId: id, lastUpdated: began } }) + 'torn\n',
    )
    const fork = (await forkSession(place, 'latest'))!
    const file = (await filesBelow(chats)).find((each) => each !== name)!
    await appendFile(join(chats, file), more)
    await fork.discard()
    const text = await readFile(join(chats, file), 'utf8')
    expect(text).not.toContain(id)
    expect(text).toContain('torn\n')
  })

  it('of a session in one JSON file is one JSON file', async () => {
    await writeInto(chats, name.replace('.jsonl', '.json'), JSON.stringify({ ...header, messages: records }))
    const fork = (await forkSession({ ...place, version: '0.34.0' }, id))!
    const file = (await filesBelow(chats)).find((each) => each.includes(fork.id.slice(0, 8)))!
    expect(file).toMatch(/\.json$/)
    const copy: unknown = JSON.parse(await readFile(join(chats, file), 'utf8'))
    expect(copy).toMatchObject({ sessionId: fork.id, messages: records })
  })

  it('needs a session', async () => {
    expect(await forkSession(place, 'latest')).toBeUndefined()
    expect(await forkSession(place, id)).toBeUndefined()
  })
})
