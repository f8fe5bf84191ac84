import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fold, getMessageText } from '@remora/protocol'
import type { SessionKey } from '@remora/ledger'
import { sessions } from '@remora/sdk'
import { expect, it, vi } from 'vitest'
import { home, ledger, useHome } from './home.test-data.ts'
import { follow, importTranscripts } from './index.ts'

useHome()

const place = () => ({ home, env: {} })
const line = (record: object) => `${JSON.stringify(record)}\n`
const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const header = (id: string) =>
  line({ sessionId: id, projectHash: 'p', startTime: time(0), lastUpdated: time(0) })
const prompt = (id: string, text: string, second = 1) =>
  line({ id, timestamp: time(second), type: 'user', content: [{ text }] })
const answered = (id: string, text: string, second = 2) =>
  line({
    id,
    timestamp: time(second),
    type: 'gemini',
    content: text,
    tokens: { input: 10, output: 2, total: 12 },
    model: 'm',
  })

function write(name: string, text: string): string {
  const path = join(home, '.gemini', 'tmp', 'work', 'chats', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

async function words(key: SessionKey): Promise<string[]> {
  const { events } = await ledger.read({ session: key })
  return fold(events.map(({ event }) => event)).map(getMessageText)
}

const one: SessionKey = { agent: 'gemini', session: 'one' }
const talk = header('one') + prompt('1', 'Hello') + answered('2', 'Hi')

it('imports everything once, and later only new content', async () => {
  const path = write('session-2026-01-01T00-00-one.jsonl', talk)
  expect(await importTranscripts(ledger, place())).toMatchObject({ changed: 1, files: 1, damaged: [] })
  expect(await importTranscripts(ledger, place())).toMatchObject({ changed: 0, events: 0 })
  appendFileSync(path, prompt('3', 'More', 3))
  expect(await importTranscripts(ledger, place())).toMatchObject({ changed: 1, events: 1 })
  expect(await words(one)).toEqual(['Hello', 'Hi', 'More'])
  const [entry] = await ledger.sessions()
  expect(entry).toMatchObject({
    ...one,
    firstPrompt: 'Hello',
    messages: 3,
    model: 'm',
    usage: { inputTokens: 10 },
  })
  expect(await words(one)).toEqual((await sessions.messages(path, place())).map(getMessageText))
})

it('adds no events for a file that was moved or copied', async () => {
  const path = write('session-2026-01-01T00-00-one.jsonl', talk)
  await importTranscripts(ledger, place())
  const { events: before } = await ledger.size()
  renameSync(path, path.replace('00-00', '00-07'))
  write('session-2026-01-01T00-09-one.jsonl', talk)
  expect(await importTranscripts(ledger, place())).toMatchObject({ changed: 2, events: 0, archived: 0 })
  expect((await ledger.size()).events).toBe(before)
})

it('archives a session that the agent deletes, until it exists again', async () => {
  const path = write('session-2026-01-01T00-00-one.jsonl', talk)
  write('session-2026-01-02T00-00-two.jsonl', header('two') + prompt('9', 'Other'))
  await importTranscripts(ledger, place())
  rmSync(path)
  expect(await importTranscripts(ledger, place())).toMatchObject({ archived: 1 })
  expect(await importTranscripts(ledger, place())).toMatchObject({ archived: 0 })
  expect((await ledger.session(one))?.archivedAt).toBeGreaterThan(0)
  expect((await ledger.session({ agent: 'gemini', session: 'two' }))?.archivedAt).toBeUndefined()
  expect(await words(one)).toEqual(['Hello', 'Hi'])
  write('session-2026-01-01T00-00-one.jsonl', talk)
  await importTranscripts(ledger, place())
  expect((await ledger.session(one))?.archivedAt).toBeUndefined()
})

it('does not archive a session while one of its two files exists', async () => {
  const path = write(
    'session-2026-01-01T00-00-one.json',
    JSON.stringify({ sessionId: 'one', projectHash: 'p', messages: [] }),
  )
  write('session-2026-01-01T00-00-one.jsonl', talk)
  await importTranscripts(ledger, place())
  rmSync(path)
  expect(await importTranscripts(ledger, place())).toMatchObject({ archived: 0 })
})

it('reports damaged lines, and reads the rest', async () => {
  const path = write(
    'session-2026-01-01T00-00-one.jsonl',
    `${header('one')}{"id":"x",\n${prompt('1', 'Hello')}`,
  )
  const { damaged } = await importTranscripts(ledger, place())
  expect(damaged).toEqual([{ path, offset: header('one').length, message: 'A record is not JSON' }])
  expect(await words(one)).toEqual(['Hello'])
})

it('reports its progress', async () => {
  write('session-2026-01-01T00-00-one.jsonl', talk)
  const reported: number[] = []
  await importTranscripts(ledger, {
    ...place(),
    onProgress: ({ bytes, totalBytes }) => reported.push(bytes / totalBytes),
  })
  expect(reported.at(-1)).toBe(1)
  expect(reported).toEqual(reported.toSorted((a, b) => a - b))
})

it('does not import forgotten sessions again', async () => {
  const path = write('session-2026-01-01T00-00-one.jsonl', talk)
  await importTranscripts(ledger, place())
  expect(await ledger.forget(one)).toBe(true)
  appendFileSync(path, prompt('3', 'More', 3))
  await importTranscripts(ledger, place())
  expect(await ledger.sessions({ hidden: true })).toEqual([])
})

it('follow: stores, indexes and archives sessions', async () => {
  const stop = new AbortController()
  const path = write('session-2026-01-01T00-00-one.jsonl', talk)
  const ready = vi.fn<() => void>()
  const following = follow(ledger, { ...place(), signal: stop.signal, onReady: ready })
  await vi.waitFor(() => expect(ready).toHaveBeenCalled(), { timeout: 25_000 })
  await expect(follow(ledger, { ...place(), signal: stop.signal })).rejects.toMatchObject({
    code: 'conflict',
  })
  appendFileSync(path, prompt('3', 'An unusual marmalade', 3))
  const other = write('session-2026-01-02T00-00-two.jsonl', header('two') + prompt('9', 'Other'))
  await vi.waitFor(async () => expect(await words(one)).toHaveLength(3), { timeout: 25_000 })
  await vi.waitFor(async () => expect(await ledger.search({ text: 'marmalade' })).toHaveLength(1), {
    timeout: 25_000,
  })
  await vi.waitFor(async () => expect(await ledger.sessions()).toHaveLength(2), { timeout: 25_000 })
  rmSync(other)
  await vi.waitFor(
    async () =>
      expect((await ledger.session({ agent: 'gemini', session: 'two' }))?.archivedAt).toBeGreaterThan(0),
    { timeout: 25_000 },
  )
  stop.abort()
  await following
  // The lease is free again.
  const again = new AbortController()
  again.abort()
  await follow(ledger, { ...place(), signal: again.signal })
})

it('keeps every line of a file exactly', async () => {
  const odd = `{"id" : "1","timestamp":"${time(1)}","type":"user","content":[{"text":"\\u00e9 1.0"}], "n": 1.0}\n`
  write('session-2026-01-01T00-00-one.jsonl', header('one') + odd)
  await importTranscripts(ledger, place())
  const { events } = await ledger.read({ session: one })
  expect(events.map(({ event }) => event.raw)).toEqual(
    (header('one') + odd)
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as unknown),
  )
  expect(readFileSync(join(home, 'ledger', 'ledger.db')).length).toBeGreaterThan(0)
})

it('archives no sessions of another home', async () => {
  write('session-2026-01-01T00-00-one.jsonl', talk)
  await importTranscripts(ledger, place())
  // Another home with other sessions.
  const elsewhere = { home, env: { GEMINI_CLI_HOME: join(home, 'elsewhere') } }
  expect(await importTranscripts(ledger, elsewhere)).toMatchObject({ files: 0, archived: 0 })
  expect((await ledger.session(one))?.archivedAt).toBeUndefined()
})

it('reads a restored file again, also after its session was pruned', async () => {
  const path = write('session-2026-01-01T00-00-one.jsonl', talk)
  await importTranscripts(ledger, place())
  renameSync(path, join(home, 'away'))
  await importTranscripts(ledger, place())
  expect(await ledger.prune({ before: Date.now() })).toMatchObject({ sessions: 1 })
  renameSync(join(home, 'away'), path)
  expect(await importTranscripts(ledger, place())).toMatchObject({ changed: 1 })
  expect(await words(one)).toEqual(['Hello', 'Hi'])
})

it('reports a broken database, and reads the other files', async () => {
  write('session-2026-01-01T00-00-one.jsonl', talk)
  const database = join(home, '.local', 'share', 'opencode', 'opencode.db')
  mkdirSync(dirname(database), { recursive: true })
  for (const text of ['', 'this is no database '.repeat(100)]) {
    writeFileSync(database, text)
    const { damaged } = await importTranscripts(ledger, place())
    expect(damaged).toMatchObject([{ path: database }])
    expect(await sessions.list(place())).toHaveLength(1)
  }
  expect(await words(one)).toEqual(['Hello', 'Hi'])
})

it('can be aborted while it reads', async () => {
  for (let index = 0; index < 50; index++)
    write(`session-2026-01-01T00-00-s${index}.jsonl`, header(`s${index}`) + prompt('1', 'x'.repeat(50_000)))
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('enough')), 0)
  await expect(importTranscripts(ledger, { ...place(), signal: stop.signal })).rejects.toThrow('enough')
  expect((await importTranscripts(ledger, place())).changed).toBeGreaterThan(0)
  expect(await ledger.sessions()).toHaveLength(50)
})

it('follow: restores an archived session when its file exists again', async () => {
  const stop = new AbortController()
  const path = write('session-2026-01-01T00-00-one.jsonl', talk)
  const archived = async (): Promise<boolean> => (await ledger.session(one))?.archivedAt !== undefined
  const following = follow(ledger, { ...place(), signal: stop.signal })
  await vi.waitFor(async () => expect(await ledger.sessions()).toHaveLength(1), { timeout: 25_000 })
  rmSync(path)
  await vi.waitFor(async () => expect(await archived()).toBe(true), { timeout: 25_000 })
  write('session-2026-01-01T00-00-one.jsonl', talk + prompt('3', 'More', 3))
  await vi.waitFor(async () => expect(await words(one)).toHaveLength(3), { timeout: 25_000 })
  await vi.waitFor(async () => expect(await archived()).toBe(false), { timeout: 25_000 })
  stop.abort()
  await following
})
