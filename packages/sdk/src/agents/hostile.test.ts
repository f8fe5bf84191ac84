import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Event, fold, maskAll, parseJson } from '@remora/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent } from '../contract/agent.ts'
import { acpReader } from '../channels/acp/reading/read-update.ts'
import { guardReader } from '../channels/headless/headless-run.ts'
import { PayloadReader } from '../channels/hooks/read-payload.ts'
import { readTranscript } from '../channels/transcripts/read-transcript.ts'
import { scanFiles } from '../channels/transcripts/scan.ts'
import { EventMaker } from '../events/event-maker.ts'
import { asRecord } from '../events/fields.ts'
import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'
import { gemini } from './gemini/index.ts'
import { kiro } from './kiro/index.ts'
import { TestDatabase, type Dumped, readDump } from './opencode/database.test-data.ts'
import { opencode } from './opencode/index.ts'

// Depth and size of what other programs write: no reader throws, and every event can be stored, folded and sent.

const fixture = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const readLines = (path: string) => readFileSync(fixture(path), 'utf8').split('\n').filter(Boolean)

/** JSON text that is unusual in depth, size or kind. */
const strange = fc.oneof(
  fc
    .tuple(fc.constantFrom(10, 499, 501, 5_000, 20_000), fc.boolean())
    .map(([levels, objects]) =>
      objects
        ? `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
        : `${'['.repeat(levels)}${']'.repeat(levels)}`,
    ),
  fc
    .tuple(fc.constantFrom('a', '\\', '"', '\n', '`', '\u0000', '\uD800', '🙂'), fc.constantFrom(1, 20_000))
    .map(([text, count]) => JSON.stringify(text.repeat(count))),
  fc.constantFrom(
    'null',
    'true',
    '1e999',
    '-1',
    '8640000000000001',
    '[]',
    '{}',
    '[null]',
    '{"__proto__":{}}',
  ),
  fc.constantFrom('""', '"9999-99-99"', '"+275760-09-13T00:00:00.001Z"', '"__proto__"', '"constructor"'),
  fc.json({ maxDepth: 3 }),
)

/** A line with the value at one of its places replaced, or left out. */
const change = fc.record({
  line: fc.nat(),
  place: fc.nat(),
  value: fc.option(strange, { nil: undefined, freq: 8 }),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function changed(lines: readonly string[], { line, place, value }: Change): string[] {
  const index = line % lines.length
  const record = JSON.parse(lines[index]!) as unknown
  const places: [holder: Record<string, unknown>, key: string][] = []
  const collect = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return
    for (const key of Object.keys(holder)) {
      places.push([holder as Record<string, unknown>, key])
      collect((holder as Record<string, unknown>)[key])
    }
  }
  collect(record)
  const [holder, key] = places[place % places.length]!
  if (value === undefined) delete holder[key]
  else holder[key] = '\u0001'
  return lines.with(
    index,
    JSON.stringify(record).replace('"\\u0001"', () => value ?? ''),
  )
}

/** What is wrong with events. Throws where they cannot be written as JSON, masked or folded. */
function firstProblem(events: readonly Event[]): string | undefined {
  JSON.stringify(maskAll(events))
  JSON.stringify(maskAll(fold(events)))
  for (const event of events) {
    const { error } = Event.safeParse(event)
    if (error) return `${error.message} in ${JSON.stringify(event).slice(0, 1000)}`
  }
  return undefined
}

const runs = { numRuns: 40 }
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-hostile-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('transcripts', () => {
  it.each<[string, Agent, string, string]>([
    [
      'claude',
      claude,
      'claude/fixtures/2.1.197/edit/session.jsonl',
      '00000003-0000-4000-8000-000000000000.jsonl',
    ],
    ['codex', codex, 'codex/fixtures/0.166.0/failing-shell/session.jsonl', 'rollout-x.jsonl'],
    [
      'gemini',
      gemini,
      'gemini/fixtures/0.61.0/edit/session.jsonl',
      'session-2026-01-01T00-00-00000001.jsonl',
    ],
    [
      'gemini as a document',
      gemini,
      'gemini/fixtures/0.34.0/edit/session.json',
      'session-2026-01-01T00-00-1.json',
    ],
  ])('of %s', async (_, agent, recorded, name) => {
    const path = join(folder, name)
    const whole = readFileSync(fixture(recorded), 'utf8')
    const lines = recorded.endsWith('.json') ? [whole] : whole.split('\n').filter(Boolean)
    await fc.assert(
      fc.asyncProperty(change, async (each) => {
        writeFileSync(path, `${changed(lines, each).join('\n')}\n`)
        const events: Event[] = []
        for await (const { records, checkpoint } of readTranscript(agent, path)) {
          events.push(...records.flatMap((record) => record.events))
          JSON.stringify(checkpoint)
        }
        expect(events.length).toBeGreaterThan(0)
        expect(firstProblem(events)).toBeUndefined()
        for (const summary of await scanFiles(agent, [path])) JSON.stringify(summary.finish())
      }),
      runs,
    )
  })

  it('of opencode', async () => {
    const dump = readDump(new URL('opencode/fixtures/1.18.33/edit/session.jsonl', import.meta.url))
    const lines = dump.map(({ data }) => JSON.stringify(data ?? {}))
    await fc.assert(
      fc.asyncProperty(change, async (each) => {
        const mutated = changed(
          lines.map((line) => `{"data":${line}}`),
          each,
        )
        const rows = dump.map((row, index): Dumped => {
          const text = mutated[index]!
          return row['data'] === undefined ? row : { ...row, data: text.slice(8, -1) || '{}' }
        })
        using database = new TestDatabase(rows)
        const events: Event[] = []
        for await (const { records, damaged } of readTranscript(opencode, database.path)) {
          expect(damaged).toEqual([])
          events.push(...records.flatMap((record) => record.events))
        }
        expect(firstProblem(events)).toBeUndefined()
      }),
      { numRuns: 15 },
    )
  })
})

it.each<[string, Agent, string]>([
  ['claude', claude, 'claude/fixtures/2.1.197/edit/hooks.jsonl'],
  ['codex', codex, 'codex/fixtures/0.166.0/edit/hooks.jsonl'],
  ['gemini', gemini, 'gemini/fixtures/0.61.0/edit/hooks.jsonl'],
  ['opencode', opencode, 'opencode/fixtures/1.18.33/edit/hooks.jsonl'],
  ['kiro', kiro, 'kiro/fixtures/documented/hooks.jsonl'],
])('hooks of %s', (_, agent, recorded) => {
  const lines = readLines(recorded)
  fc.assert(
    fc.property(change, (each) => {
      const reader = new PayloadReader(agent)
      const records = changed(lines, each).map((line, index) => reader.read(line, { key: `${index}`, at: 1 }))
      expect(firstProblem(records.flatMap((record) => record?.events ?? []))).toBeUndefined()
      JSON.stringify(reader.state())
    }),
    runs,
  )
})

it.each<[string, Agent, string]>([
  ['claude', claude, 'claude/fixtures/2.1.197/edit/stream.jsonl'],
  ['codex', codex, 'codex/fixtures/0.166.0/failing-shell/stream.jsonl'],
  ['gemini', gemini, 'gemini/fixtures/0.61.0/edit/stream.jsonl'],
  ['opencode', opencode, 'opencode/fixtures/1.18.33/edit/stream.jsonl'],
])('headless output of %s', (_, agent, recorded) => {
  const lines = readLines(recorded)
  fc.assert(
    fc.property(change, (each) => {
      const maker = new EventMaker({ agent: agent.id, channel: 'headless', source: 'run' })
      const reader = guardReader(maker, agent.headless!.reader!(maker, { prompt: 'x' }))
      expect(firstProblem(changed(lines, each).flatMap((line) => reader.read(line)))).toBeUndefined()
      JSON.stringify(reader.end({ code: 0, signal: null }, ''))
    }),
    runs,
  )
})

it.each([
  'gemini/fixtures/0.61.0/shell',
  'claude/fixtures/2.1.197/write-file',
  'codex/fixtures/0.166.0/hello',
])('ACP messages of %s', (recorded) => {
  const lines = readLines(`${recorded}/acp.jsonl`)
  fc.assert(
    fc.property(change, (each) => {
      const maker = new EventMaker({ agent: 'x', channel: 'acp', source: 'wire' })
      const reader = acpReader(maker, (name, input) => ({ name, input }))
      const events = changed(lines, each).flatMap((line) => {
        try {
          const { from, message } = asRecord(parseJson(line)) ?? {}
          const fields = asRecord(message)
          return (fields && reader.read({ from: from as 'agent', message: fields })) ?? []
        } catch {
          return []
        }
      })
      expect(firstProblem(events)).toBeUndefined()
    }),
    runs,
  )
})
