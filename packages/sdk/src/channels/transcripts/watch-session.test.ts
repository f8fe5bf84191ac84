import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Event, fold, getMessageText } from '@remora/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sessions } from '../../api/sessions.ts'

let home = ''
let stop = new AbortController()
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'remora-watch-session-'))
  stop = new AbortController()
})
afterEach(() => {
  stop.abort()
  rmSync(home, { recursive: true, force: true })
})

const line = (record: object) => `${JSON.stringify(record)}\n`
const header = line({ sessionId: 's-1', projectHash: 'p', startTime: '2026-01-01T00:00:00.000Z' })
const record = (id: string, text: unknown) => ({
  id,
  timestamp: '2026-01-01T00:00:01.000Z',
  type: 'user',
  content: text,
})
const said = (id: string, text: string) => line(record(id, text))

function write(text: string, name = 'session-2026-01-01T00-00-s-1.jsonl'): string {
  const path = join(home, '.gemini', 'tmp', 'work', 'chats', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** Watches in the background, and keeps what it is told. */
function watching(from: string) {
  const events: Event[] = []
  const watch = sessions.watch('s-1', { home, env: {}, agent: 'gemini', from, signal: stop.signal })
  const ended = (async () => {
    for await (const event of watch) events.push(event)
  })()
  return { events, watch, ended, words: () => fold(events).map(getMessageText) }
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 10 })

it('yields past and new events, also of a new file of the session', async () => {
  const path = write(header + said('1', 'One'))
  const { words, ended } = watching('start')
  await until(() => expect(words()).toEqual(['One']))
  appendFileSync(path, said('2', 'Two'))
  await until(() => expect(words()).toEqual(['One', 'Two']))
  write(header + said('3', 'Three'), 'session-2026-01-02T00-00-s-1.jsonl')
  write(header.replace('s-1', 'other') + said('9', 'Other'), 'session-2026-01-02T00-00-other.jsonl')
  await until(() => expect(words()).toEqual(['One', 'Two', 'Three']))
  stop.abort()
  await ended
})

it('yields only new events, and no repeats in a message list', async () => {
  const path = write(header + said('1', 'One'))
  const { events, words, watch } = watching('now')
  // What was there when it began has been read, and is not told.
  await until(() => expect(watch.cursor).not.toBe('{}'))
  appendFileSync(path, line({ $set: { messages: [record('1', [{ text: 'One' }])] } }) + said('2', 'Two'))
  await until(() => expect(words()).toContain('Two'))
  expect(events.filter(({ type }) => type === 'message')).toMatchObject([{ entity: '2' }])
})

it('waits for a session that does not exist yet, for any first line', async () => {
  const { words } = watching('start')
  await new Promise((resolve) => setTimeout(resolve, 200))
  const path = write(`{"half": \n${header}${said('1', 'One')}`)
  await until(() => expect(words()).toEqual(['One']))
  appendFileSync(path, said('2', 'Two'))
  await until(() => expect(words()).toEqual(['One', 'Two']))
})

it('continues from a cursor, and rejects an invalid one', async () => {
  const path = write(header + said('1', 'One'))
  const first = watching('start')
  await until(() => expect(first.words()).toEqual(['One']))
  await until(() => expect(first.watch.cursor).not.toBe('{}'))
  const { cursor } = first.watch
  stop.abort()
  await first.ended
  stop = new AbortController()
  appendFileSync(path, said('2', 'Two'))
  const second = watching(cursor)
  await until(() => expect(second.words()).toEqual(['Two']))
  for (const bad of ['nonsense', 'null', '{"x":null}'])
    expect(() => sessions.watch('s-1', { home, env: {}, from: bad })).toThrow('cursor')
})
