import { appendFileSync, copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agentsWithTranscripts } from '@remora/sdk/transcripts'
import { openSqlite } from '@remora/sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TestDatabase, readDump, withTimes } from '../../sdk/src/agents/opencode/database.test-data.ts'
import { home, ledger, useHome } from './home.test-data.ts'
import { follow } from './index.ts'

useHome()

let following: Promise<void>
let stop: AbortController
beforeEach(() => void (stop = new AbortController()))
afterEach(async () => {
  stop.abort()
  await following
  vi.restoreAllMocks()
})

const fixture = new URL('../../sdk/src/agents/opencode/fixtures/1.18.33/hello/session.jsonl', import.meta.url)
const recorded = withTimes(readDump(fixture))
const databaseSession = recorded.find(({ table }) => table === 'session')!.id

/** OpenCode's database as a crash leaves it: its log is still beside it and no process has it open. */
function writeCrashedDatabase(): string {
  using database = new TestDatabase(recorded)
  const path = join(home, '.local', 'share', 'opencode', 'opencode.db')
  mkdirSync(dirname(path), { recursive: true })
  for (const end of ['', '-wal', '-shm']) copyFileSync(database.path + end, path + end)
  return path
}

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const formatPrompt = (number: number) =>
  `${JSON.stringify({ id: `${number}`, timestamp: time(number), type: 'user', content: [{ text: `Prompt ${number}` }] })}\n`

/** A transcript that grows. */
function writeTranscript(): string {
  const path = join(home, '.gemini', 'tmp', 'work', 'chats', 'session-2026-01-01T00-00-one.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  const header = { sessionId: 'one', projectHash: 'p', startTime: time(0), lastUpdated: time(0) }
  writeFileSync(path, `${JSON.stringify(header)}\n${formatPrompt(1)}`)
  return path
}

async function startFollowing(agents = agentsWithTranscripts()): Promise<void> {
  const ready = vi.fn<() => void>()
  following = follow(ledger, { home, env: {}, agents, signal: stop.signal, onReady: ready })
  await vi.waitFor(() => expect(ready).toHaveBeenCalled(), { timeout: 25_000 })
}

/** Appends to the transcript and waits until that is in the ledger: earlier file events have been handled by then. */
async function appendAndWait(path: string, number: number): Promise<void> {
  appendFileSync(path, formatPrompt(number))
  await vi.waitFor(
    async () => {
      const { events } = await ledger.read({ session: { agent: 'gemini', session: 'one' } })
      expect(JSON.stringify(events)).toContain(`"Prompt ${number}"`)
    },
    { timeout: 25_000, interval: 5 },
  )
}

it('stops reading a database of a crashed agent when it has read everything', async () => {
  const database = writeCrashedDatabase()
  const transcript = writeTranscript()
  await startFollowing()
  expect(await ledger.session({ agent: 'opencode', session: databaseSession })).toBeDefined()
  // Reading a database that no other process has open rewrites the index of its log.
  const getReadTime = () => statSync(`${database}-shm`).mtimeMs
  for (let number = 2; number < 5; number++) await appendAndWait(transcript, number)
  const before = getReadTime()
  for (let number = 5; number < 25; number++) await appendAndWait(transcript, number)
  expect(getReadTime()).toBe(before)
})

it('loads only the mark of the file that has changed', async () => {
  const transcript = writeTranscript()
  await startFollowing()
  await appendAndWait(transcript, 2)
  const marks = vi.spyOn(ledger, 'marks')
  await appendAndWait(transcript, 3)
  const names = marks.mock.calls.map(([name]) => name).filter((name) => name.startsWith('transcript:'))
  expect(new Set(names)).toEqual(new Set([`transcript:${transcript}`]))
})

it('archives a session that its agent deletes from a database', async () => {
  const path = writeCrashedDatabase()
  await startFollowing()
  const database = openSqlite(path)
  try {
    database.prepare('DELETE FROM session').run()
    await vi.waitFor(
      async () => {
        const session = await ledger.session({ agent: 'opencode', session: databaseSession })
        expect(session?.archivedAt).toBeGreaterThan(0)
      },
      { timeout: 25_000 },
    )
  } finally {
    database.close()
  }
})

it('causes no warning, however many agents there are', async () => {
  const warnings: string[] = []
  const collect = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', collect)
  try {
    const many = Array.from({ length: 4 }, agentsWithTranscripts).flat()
    await startFollowing(many)
    // Node emits warnings in the next tick.
    await new Promise(setImmediate)
  } finally {
    process.off('warning', collect)
  }
  expect(warnings).toEqual([])
})
