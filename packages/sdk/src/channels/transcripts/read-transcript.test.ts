import { appendFile, mkdtemp, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Event, fold, getMessageText } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Agent } from '../../contract/agent.ts'
import { gemini } from '../../agents/gemini/index.ts'
import { computeDigest } from '../../events/digest.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type Damage, readTranscript } from './read-transcript.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-transcript-'))
  path = join(folder, 'session-2026-01-01T00-00-s-1.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const line = (record: object) => `${JSON.stringify(record)}\n`
const header = line({ sessionId: 's-1', projectHash: 'p', startTime: '2026-01-01T00:00:00.000Z' })
const said = (id: string, content: string) =>
  line({ id, timestamp: '2026-01-01T00:00:01.000Z', type: 'user', content })

/** One reader over several looks at the file, as a collector is. */
function collector() {
  let since: Checkpoint | undefined
  const events: Event[] = []
  const damaged: Damage[] = []
  return {
    events,
    damaged,
    words: () => fold(events).map(getMessageText),
    /** How many events this look gave. */
    async look(file = path): Promise<number> {
      const before = events.length
      for await (const batch of readTranscript(gemini, file, { since })) {
        events.push(...batch.records.flatMap((record) => record.events))
        damaged.push(...batch.damaged)
        since = JSON.parse(JSON.stringify(batch.checkpoint)) as Checkpoint
      }
      return events.length - before
    },
  }
}

it('reads only what was added', async () => {
  const reading = collector()
  expect(await reading.look()).toBe(0)
  await writeFile(path, header + said('1', 'One'))
  expect(await reading.look()).toBe(2)
  expect(await reading.look()).toBe(0)
  await appendFile(path, said('2', 'Two'))
  expect(await reading.look()).toBe(1)
  expect(reading.words()).toEqual(['One', 'Two'])
})

it.each(['', '{"sessionId": "s-1", "mess'])(
  'reads a document again that is being written: %s',
  async (half) => {
    const reading = collector()
    const file = path.replace('.jsonl', '.json')
    const time = '2026-01-01T00:00:00.000Z'
    const messages = [{ id: '1', timestamp: time, type: 'user', content: 'One' }]
    const whole = { sessionId: 's-1', projectHash: 'p', startTime: time, lastUpdated: time, messages }
    await writeFile(file, half)
    const looking = reading.look(file)
    await writeFile(file, JSON.stringify(whole))
    await looking
    expect(reading.words()).toEqual(['One'])
    expect(reading.damaged).toEqual([])
  },
)

it('waits for a half-written record, and reads a last record without line break', async () => {
  const reading = collector()
  const half = said('1', 'Ünïcode')
  await writeFile(path, Buffer.concat([Buffer.from(header), Buffer.from(half).subarray(0, -12)]))
  expect(await reading.look()).toBe(1)
  await writeFile(path, header + half.trimEnd())
  expect(await reading.look()).toBe(1)
  await appendFile(path, `\n\r\n${said('2', 'Two')}`)
  expect(await reading.look()).toBe(1)
  expect(reading.words()).toEqual(['Ünïcode', 'Two'])
  expect(reading.damaged).toEqual([])
})

it('skips only the damaged record, and reads it when it is complete', async () => {
  const reading = collector()
  const whole = said('2', 'Two')
  const broken = `${whole.slice(0, -4)}###\n`
  await writeFile(path, header + said('1', 'One') + broken + said('3', 'Three'))
  await reading.look()
  expect(reading.words()).toEqual(['One', 'Three'])
  const offset = Buffer.byteLength(header + said('1', 'One'))
  expect(reading.damaged).toEqual([{ path, offset, message: 'A record is not JSON' }])
  expect(reading.events.filter(({ type }) => type === 'unknown')).toMatchObject([{ raw: broken.trimEnd() }])
  // The same number of bytes, written in place.
  await writeFile(path, header + said('1', 'One') + whole + said('3', 'Three'))
  await utimes(path, 1, 1)
  await reading.look()
  expect(reading.words().toSorted()).toEqual(['One', 'Three', 'Two'])
})

it('reads a rewritten, truncated or replaced file again', async () => {
  const reading = collector()
  await writeFile(path, header + said('1', 'One') + said('2', 'Two'))
  await reading.look()
  await writeFile(path, header + said('1', 'Uno') + said('2', 'Two'))
  await utimes(path, 2, 2)
  await reading.look()
  expect(reading.words()).toEqual(['Uno', 'Two'])
  await truncate(path, Buffer.byteLength(header))
  await reading.look()
  await writeFile(
    join(folder, 'other'),
    header + said('1', 'Other') + said('3', 'Third') + said('4', 'Fourth'),
  )
  await rename(join(folder, 'other'), path)
  await reading.look()
  expect(reading.words()).toEqual(['Other', 'Two', 'Third', 'Fourth'])
})

it('gives the same origins for any path of the file', async () => {
  await writeFile(path, header + said('1', 'One'))
  const first = collector()
  await first.look()
  const copy = join(folder, 'copy.jsonl')
  await writeFile(copy, header + said('1', 'One'))
  const second = collector()
  await second.look(copy)
  expect(second.events.map(({ origin }) => origin)).toEqual(first.events.map(({ origin }) => origin))
})

it('continues with a file of which only the start was stored', async () => {
  const many = Array.from({ length: 300 }, (_, index) => said(`m${index}`, 'x'.repeat(20_000)))
  await writeFile(path, header + many.join(''))
  const events: Event[] = []
  let since: Checkpoint | undefined
  for await (const batch of readTranscript(gemini, path)) {
    events.push(...batch.records.flatMap((record) => record.events))
    since = batch.checkpoint
    break
  }
  expect(events.length).toBeLessThan(301)
  for await (const batch of readTranscript(gemini, path, { since }))
    events.push(...batch.records.flatMap((record) => record.events))
  expect(new Set(events.map(({ origin }) => origin.key)).size).toBe(301)
  expect(events).toHaveLength(301)
})

it('reads a complete document, and later its changes', async () => {
  const document = (content: string) =>
    JSON.stringify({
      sessionId: 's-1',
      projectHash: 'p',
      startTime: '2026-01-01T00:00:00.000Z',
      messages: [JSON.parse(said('1', 'One')), JSON.parse(said('2', content))],
    })
  path = path.replace('.jsonl', '.json')
  const reading = collector()
  await writeFile(path, document('Two').slice(0, 50))
  expect(await reading.look()).toBe(0)
  expect(reading.damaged).toEqual([{ path, offset: 0, message: 'The file is not JSON' }])
  await writeFile(path, document('Two'))
  await reading.look()
  expect(reading.words()).toEqual(['One', 'Two'])
  await writeFile(path, document('Zwei'))
  await reading.look()
  expect(reading.words()).toEqual(['One', 'Zwei'])
  expect((await stat(path)).size).toBeGreaterThan(0)
})

it('keeps a record that is nested too deeply as text and reads all others', async () => {
  const reading = collector()
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const inContent = said('2', 'Two').replace('"Two"', deep(6_000))
  const bare = `${deep(20_000)}\n`
  await writeFile(path, header + said('1', 'One') + inContent + bare + said('3', 'Three'))
  await reading.look()
  expect(reading.words()).toEqual(['One', 'Three'])
  expect(reading.damaged).toHaveLength(2)
  expect(reading.events.filter(({ type }) => type === 'unknown')).toMatchObject([
    { what: 'too deep', raw: inContent.trimEnd() },
    { what: 'too deep', raw: bare.trimEnd() },
  ])
})

it('cuts a message of a document that is nested too deeply and reads all others', async () => {
  path = path.replace('.jsonl', '.json')
  const deep = said('2', 'Two').replace('"Two"', `[{"text":"Two"},${'['.repeat(9_000)}${']'.repeat(9_000)}]`)
  const messages = [said('1', 'One'), deep, said('3', 'Three')].join(',')
  await writeFile(path, `{"sessionId":"s-1","startTime":"2026-01-01T00:00:00.000Z","messages":[${messages}]}`)
  const reading = collector()
  await reading.look()
  expect(reading.words()).toEqual(['One', 'Two', 'Three'])
  expect(reading.damaged).toMatchObject([{ message: 'JSON is nested more than 500 levels deep' }])
})

it('keeps the start of a very long unreadable record', async () => {
  const reading = collector()
  await writeFile(path, `${header}${'x'.repeat(3_000_000)}\n${said('1', 'One')}`)
  await reading.look()
  expect(reading.words()).toEqual(['One'])
  const [unknown] = reading.events.filter(({ type }) => type === 'unknown')
  expect(unknown).toMatchObject({ what: 'too long' })
  expect(String(unknown?.raw)).toHaveLength(1024 * 1024)
})

it('loses one record when the reader of an agent throws', async () => {
  const clumsy: Agent = {
    ...gemini,
    transcripts: {
      ...gemini.transcripts,
      reader: (maker, file) => {
        const reader = gemini.transcripts.reader!(maker, file)
        return {
          state: () => reader.state(),
          read(record) {
            if (record['id'] === '2') throw new TypeError('No such thing')
            return reader.read(record)
          },
        }
      },
    },
  }
  await writeFile(path, header + said('1', 'One') + said('2', 'Two') + said('3', 'Three'))
  const events: Event[] = []
  const damaged: Damage[] = []
  for await (const batch of readTranscript(clumsy, path)) {
    events.push(...batch.records.flatMap((record) => record.events))
    damaged.push(...batch.damaged)
  }
  expect(fold(events).map(getMessageText)).toEqual(['One', 'Three'])
  expect(damaged).toMatchObject([{ message: 'A record could not be understood: No such thing' }])
  expect(events.filter(({ type }) => type === 'unknown')).toMatchObject([{ raw: said('2', 'Two').trimEnd() }])
})

it('reports an unreadable file instead of throwing, and reads it the next time', async () => {
  await writeFile(path, header + said('1', 'One'))
  const reading = collector()
  await reading.look()
  const batches = []
  const since = { stamp: '', size: 1, offset: 0, state: { told: 5 } }
  for await (const batch of readTranscript(gemini, path, { since: { ...since, edges: edgesAtStart() } }))
    batches.push(batch)
  expect(batches).toMatchObject([{ records: [], damaged: [{ path }], checkpoint: { stamp: '' } }])
  const events: Event[] = []
  for await (const { records } of readTranscript(gemini, path, { since: batches[0]!.checkpoint }))
    events.push(...records.flatMap((record) => record.events))
  expect(fold(events).map(getMessageText)).toEqual(['One'])
})

/** The edges of a file of which nothing was read. */
function edgesAtStart(): readonly [string, string] {
  return [computeDigest(''), computeDigest('')]
}
