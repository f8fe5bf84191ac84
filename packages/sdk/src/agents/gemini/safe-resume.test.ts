import { createHash } from 'node:crypto'
import { appendFile, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { filesBelow, writeInto } from './folder.test-data.ts'
import { protectSession, recoverSessions, removeLeftStubs } from './safe-resume.ts'
import { resolveSession } from './session-files.ts'

let place: Place
let chats = ''
beforeEach(async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'remora-safe-resume-')))
  place = { env: {}, home, cwd: join(home, 'work'), version: '0.61.0' }
  chats = join(home, '.gemini', 'tmp', 'work', 'chats')
  await writeInto(home, 'work/.keep', '')
  await writeInto(home, '.gemini/projects.json', JSON.stringify({ projects: { [place.cwd]: 'work' } }))
})
afterEach(() => rm(place.home, { recursive: true, force: true }))

const id = '247a8d8a-4b48-46e2-b7fd-0b932556739a'
const name = 'session-2026-01-01T00-00-247a8d8a.jsonl'
const stubName = 'session-2026-01-01T00-07-247a8d8a.jsonl'

const header = (sessionId = id, startTime = '2026-01-01T00:00:00.000Z') => ({
  sessionId,
  projectHash: 'p',
  startTime,
  lastUpdated: startTime,
  kind: 'main',
})
const context = { id: 'c', type: 'user', content: [{ text: '<session_context>\nToday' }] }
const user = (text: string) => ({ id: `u-${text}`, type: 'user', content: [{ text }] })
const answer = (text: string) => ({ id: `g-${text}`, type: 'gemini', content: text })
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const start = [header(), { $set: { messages: [context] } }]
const session = lines(...start, user('One'), answer('First'))
const stub = lines(...start)
const more = lines(user('Two'), answer('Second'))

const write = (file: string, text: string) => writeInto(chats, file, text)
const read = (file: string) => readFile(join(chats, file), 'utf8')
const copies = () => filesBelow(join(place.home, '.remora'))

describe('a protected resume', () => {
  it('removes the stub as soon as the CLI writes to the session, and the copy at the end', async () => {
    await write(name, session)
    const protection = (await protectSession(place, id))!
    expect(await copies()).toHaveLength(2)
    const [copy = ''] = await copies()
    const { mode } = await stat(join(place.home, '.remora', copy))
    expect(mode & 0o077).toBe(0)

    await write(stubName, stub)
    expect(await protection.settle()).toBe(false)
    expect(await filesBelow(chats)).toEqual([name, stubName])
    await appendFile(join(chats, name), more)
    expect(await protection.settle()).toBe(true)
    expect(await filesBelow(chats)).toEqual([name])
    expect(await protection.verify()).toEqual([])
    expect(await read(name)).toBe(session + more)
    expect(await copies()).toEqual([])
  })

  it('restores a session that was deleted while running, with all its files', async () => {
    await write(name, session)
    await write(`../tool-outputs/session-${id}/out.txt`, 'output')
    await write(`${id}/agent.jsonl`, 'sub-agent')
    const protection = (await protectSession(place, id))!
    await rm(join(chats, '..'), { recursive: true })
    // The CLI continues by appending.
    await write(name, more)
    expect(await protection.verify()).toEqual([expect.objectContaining({ code: 'session_restored' })])
    expect(await read(name)).toBe(session + more)
    expect(await read(`../tool-outputs/session-${id}/out.txt`)).toBe('output')
    expect(await read(`${id}/agent.jsonl`)).toBe('sub-agent')
    expect(await copies()).toEqual([])
  })

  it('restores a session that a load has emptied', async () => {
    await write(name, session)
    const protection = (await protectSession(place, id))!
    await appendFile(join(chats, name), stub)
    expect(await protection.verify()).toEqual([expect.objectContaining({ code: 'session_restored' })])
    expect(await resolveSession(place, 'latest')).toBe(id)
    expect(await read(name)).toContain(session)
  })

  it('keeps the messages of two concurrent resumes', async () => {
    await write(name, session)
    const first = (await protectSession(place, id))!
    await appendFile(join(chats, name), lines(user('Two')))
    const second = (await protectSession(place, id))!
    await rm(join(chats, name))
    await write(name, lines(answer('Second')))
    await first.verify()
    await appendFile(join(chats, name), lines(answer('Third')))
    await second.verify()
    for (const word of ['One', 'First', 'Two', 'Second', 'Third'])
      expect(await read(name)).toContain(`"${word}"`)
    expect(await copies()).toEqual([])
  })

  it('leaves a whole-file session that lost a message unchanged and names the copy', async () => {
    const old = 'session-2026-01-01T00-00-247a8d8a.json'
    const whole = (...messages: object[]) => JSON.stringify({ ...header(), messages })
    await write(old, whole(user('One'), answer('First')))
    const protection = (await protectSession(place, id))!
    await write(old, whole(user('Two')))
    const [problem] = await protection.verify()
    expect(problem).toMatchObject({ code: 'session_changed' })
    const [kept = ''] = await copies()
    expect(problem!.hint).toContain(kept.split('/').at(-2))
    expect(await read(old)).toContain('Two')
    expect(await recoverSessions(place)).toEqual([])
  })

  it('is undefined for an unknown session', async () => {
    await write(stubName, stub)
    expect(await protectSession(place, id)).toBeUndefined()
    expect(await protectSession(place, 'latest')).toBeUndefined()
    expect(await filesBelow(chats)).toEqual([stubName])
    expect(await copies()).toEqual([])
  })

  it('finds the folders of old versions, which are hashes', async () => {
    const hash = createHash('sha256').update(place.cwd).digest('hex')
    chats = join(place.home, '.gemini', 'tmp', hash, 'chats')
    await write(
      'session-2026-01-01T00-00-247a8d8a.json',
      JSON.stringify({ ...header(), messages: [user('One')] }),
    )
    expect((await protectSession(place, 'latest'))?.id).toBe(id)
  })
})

describe('after a crash', () => {
  it('the next resume restores the session from the copy', async () => {
    await write(name, session)
    await protectSession(place, id)
    const about = (await copies()).find((file) => file.endsWith('about.json'))!
    const file = join(place.home, '.remora', about)
    expect(await recoverSessions(place)).toEqual([]) // The owner is alive, so the copy is not recovered.
    await writeFile(file, (await readFile(file, 'utf8')).replace(`"pid":${process.pid}`, '"pid":999999999'))
    await rm(join(chats, name))
    await write(stubName, stub)
    expect(await recoverSessions(place)).toEqual([expect.objectContaining({ code: 'session_restored' })])
    expect(await read(name)).toBe(session)
    expect(await filesBelow(chats)).toEqual([name])
    expect(await copies()).toEqual([])
  })
})

describe('stubs of other starts', () => {
  it('are removed beside a real session, and nowhere else', async () => {
    await write(name, session)
    await write(stubName, stub)
    const alone = 'session-2026-01-01T00-09-aaaaaaaa.jsonl'
    await write(alone, lines(header('aaaaaaaa-1'), { $set: { messages: [context] } }))
    // The same short id by coincidence.
    const other = 'session-2026-01-01T00-09-247a8d8a.jsonl'
    await write(other, lines(header('247a8d8a-ffff'), { $set: { messages: [context] } }))
    await removeLeftStubs(place)
    expect(await filesBelow(chats)).toEqual([name, other, alone].toSorted())
  })
})

describe('resolving a session', () => {
  beforeEach(async () => {
    await write(
      'session-2026-01-01T00-00-aaaaaaaa.jsonl',
      lines(header('aaaaaaaa-1', '2026-01-01T00:00:00Z'), user('a')),
    )
    await write(
      'session-2026-01-01T00-05-bbbbbbbb.jsonl',
      lines(header('bbbbbbbb-1', '2026-01-01T00:05:00Z'), user('b')),
    )
    // Newer, but without a conversation, or of a sub-agent.
    await write(
      'session-2026-01-01T00-06-cccccccc.jsonl',
      lines(header('cccccccc-1', '2026-01-01T00:06:00Z'), context),
    )
    const sub = { ...header('dddddddd-1', '2026-01-01T00:07:00Z'), kind: 'subagent' }
    await write('session-2026-01-01T00-07-dddddddd.jsonl', lines(sub, user('d')))
  })

  it.each([
    ['latest', 'bbbbbbbb-1'],
    ['1', 'aaaaaaaa-1'],
    ['2', 'bbbbbbbb-1'],
    ['3', undefined],
    ['any-other', 'any-other'],
  ])('by %s is %s', async (wanted, expected) => {
    expect(await resolveSession(place, wanted)).toBe(expected)
  })
})
