import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agents, gemini } from '@remora/sdk'
import { beforeEach, expect, it } from 'vitest'
import { home, ledger, useHome } from './home.test-data.ts'
import { importTranscripts, restoreSession } from './index.ts'

useHome()

beforeEach(() => {
  put('.gemini/settings.json', '{"general":{"sessionRetention":{"enabled":false}}}')
  put('.gemini/tmp/work/.project_root', '/home/me/work')
})
function put(name: string, text: string): string {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const began = '2026-01-01T00:00:00.000Z'
const id = '247a8d8a-4b48-46e2-b7fd-0b932556739a'
const key = { agent: 'gemini', session: id }
const chats = '.gemini/tmp/work/chats'
const name = 'session-2026-01-01T00-00-247a8d8a.jsonl'
const line = (record: object) => `${JSON.stringify(record)}\n`
const header = line({ sessionId: id, projectHash: 'p', startTime: began, lastUpdated: began, kind: 'main' })
const talk =
  header +
  line({ id: 'u', timestamp: began, type: 'user', content: [{ text: 'One' }] }) +
  line({ id: 'g', timestamp: began, type: 'gemini', content: 'First' })
const reset = header + line({ $set: { messages: [] } })
const place = () => ({ home, env: {}, version: '0.61.0' })
const archivedAt = async () => (await ledger.session(key))?.archivedAt

it('restores a session that the agent has deleted, once', async () => {
  const path = put(`${chats}/${name}`, talk)
  await importTranscripts(ledger, place())
  rmSync(path)
  await importTranscripts(ledger, place())
  expect(await archivedAt()).toBeDefined()

  expect(await restoreSession(ledger, key, place())).toEqual({
    ...key,
    files: [path],
    setAside: [],
    cwd: '/home/me/work',
  })
  expect(readFileSync(path, 'utf8')).toBe(talk)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(dirname(path))).toEqual([name])
  expect(await archivedAt()).toBeUndefined()
  expect(await importTranscripts(ledger, place())).toMatchObject({ events: 0, archived: 0 })
  expect(await restoreSession(ledger, key, place())).toMatchObject({ files: [], intact: path })
})

it('repairs a file that lost its history, also one that was never imported, and keeps the damaged one', async () => {
  const path = put(`${chats}/${name}`, talk + reset)
  put(`${chats}/${name}.damaged`, 'an older one')
  const { files, setAside } = await restoreSession(ledger, key, place())
  expect(files).toEqual([path])
  expect(setAside).toEqual([`${path}.damaged-2`])
  expect(readFileSync(path, 'utf8')).toBe(talk)
  expect(readFileSync(`${path}.damaged-2`, 'utf8')).toBe(talk + reset)
})

it('does not overwrite an existing file', async () => {
  const path = put(`${chats}/${name}`, talk)
  await importTranscripts(ledger, place())
  const other = talk.replaceAll(id, `${id.slice(0, -1)}b`)
  writeFileSync(path, other)
  await expect(restoreSession(ledger, key, place())).rejects.toMatchObject({ code: 'conflict' })
  expect(readFileSync(path, 'utf8')).toBe(other)
  expect(readdirSync(dirname(path))).toEqual([name])
})

it('uses the given folder if the session does not contain one', async () => {
  rmSync(join(home, '.gemini/tmp'), { recursive: true })
  const path = put(`${chats}/${name}`, talk)
  await importTranscripts(ledger, place())
  rmSync(join(home, '.gemini/tmp'), { recursive: true })
  await expect(restoreSession(ledger, key, place())).rejects.toMatchObject({ code: 'not_found' })
  const restored = await restoreSession(ledger, key, { ...place(), cwd: '/home/me/work' })
  expect(restored.files).toEqual([path, join(home, '.gemini/tmp/work/.project_root')])
  expect(readFileSync(restored.files[1]!, 'utf8')).toBe('/home/me/work')
})

it('rejects an unknown session, and an agent without restore', async () => {
  await expect(restoreSession(ledger, key, place())).rejects.toMatchObject({ code: 'not_found' })
  const unable = agents().find(({ transcripts }) => transcripts && !transcripts.restore)!
  for (const agent of [unable.id, 'unknown'])
    await expect(restoreSession(ledger, { agent, session: id }, place())).rejects.toMatchObject({
      code: 'unsupported',
    })
})

it('reports that it cannot write', async () => {
  const files = [{ path: join(home, 'ledger', 'ledger.db', 'x'), text: '' }]
  const restore = async () => ({ files, damaged: [] })
  const agent = { ...gemini, transcripts: { ...gemini.transcripts, restore } }
  put(`${chats}/${name}`, talk)
  await expect(restoreSession(ledger, key, { ...place(), agents: [agent] })).rejects.toMatchObject({
    code: 'config',
    hint: expect.stringContaining(join(home, '.gemini')) as string,
  })
})
