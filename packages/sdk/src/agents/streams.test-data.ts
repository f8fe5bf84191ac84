import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Event, type Message, fold } from '@remora/protocol'
import fc from 'fast-check'
import type { HeadlessPart, HeadlessReader, HeadlessRequest } from '../contract/agent.ts'
import { classifyError } from '../events/classify-error.ts'
import { EventMaker } from '../events/event-maker.ts'

/** What a CLI said in a recorded run, and what the model had been told to say. */
export interface Recording {
  readonly version: string
  readonly scenario: string
  readonly lines: readonly string[]
  readonly stderr: string
  readonly code: number
  readonly script: Script
}

interface Script {
  readonly prompt: string
  readonly turns: readonly (readonly {
    readonly text?: string | readonly string[]
    readonly thoughts?: readonly { readonly subject: string }[]
    readonly tools?: readonly { readonly name: string }[]
  }[])[]
}

const scenarios = new URL('../../../scripted-model/scenarios/', import.meta.url)

/** All recordings of an agent. @example recordings(import.meta.url) */
export function recordings(test: string): Recording[] {
  const root = new URL('fixtures/', test)
  return readdirSync(root).flatMap((version) => {
    const folder = new URL(`${version}/`, root)
    return readdirSync(folder).map((scenario) =>
      recording(new URL(`${scenario}/`, folder), version, scenario),
    )
  })
}

function recording(folder: URL, version: string, scenario: string): Recording {
  const meta = JSON.parse(text(new URL('meta.json', folder))) as {
    runs: { code: number; stderr: string[] }[]
  }
  const [run] = meta.runs
  return {
    version,
    scenario,
    lines: text(new URL('stream.jsonl', folder)).trimEnd().split('\n'),
    stderr: run?.stderr.join('\n') ?? '',
    code: run?.code ?? 0,
    script: JSON.parse(text(new URL(`${scenario}.json`, scenarios))) as Script,
  }
}

function text(url: URL): string {
  return readFileSync(fileURLToPath(url), 'utf8')
}

/** A reader of a run that is just starting. */
export function reading(headless: HeadlessPart, request: Partial<HeadlessRequest> = {}): HeadlessReader {
  const maker = new EventMaker({ agent: 'test', channel: 'headless', source: 'run' })
  return headless.reader!(maker, { prompt: 'Do it.', ...request })
}

/** Every event of the lines, each checked against the schema. */
export function readEvents(reader: HeadlessReader, lines: readonly string[]): Event[] {
  return lines.flatMap((line) => reader.read(line)).map((event) => Event.parse(event))
}

/** How a recorded run that failed is read: its events, and the code that its failure gets. */
export function failureIn(headless: HeadlessPart, all: readonly Recording[], scenario: string) {
  const recording = all.find((each) => each.scenario === scenario)
  if (!recording) throw new Error(`${scenario} was not recorded`)
  const reader = reading(headless)
  const events = readEvents(reader, recording.lines)
  const { ok, failure } = reader.end({ code: recording.code, signal: null }, recording.stderr)
  return { events, ok, code: failure && classifyError(failure).code }
}

/** The words of the assistant, message by message. */
export function getTexts(messages: readonly Message[]): string[] {
  const blocks = messages.filter(({ role }) => role === 'assistant').flatMap(({ content }) => content)
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
}

/** The calls with how they ended. */
export function getCalls(messages: readonly Message[]): [name: string, status: string | undefined][] {
  const blocks = messages.flatMap(({ content }) => content)
  return blocks.flatMap((block) => {
    if (block.type !== 'tool_use') return []
    const result = blocks.find((other) => other.type === 'tool_result' && other.tool_use_id === block.id)
    return [[block.name, result?.type === 'tool_result' ? result.status : undefined]]
  })
}

export function readMessages(headless: HeadlessPart, { lines, script }: Recording): Message[] {
  return fold(readEvents(reading(headless, { prompt: script.prompt }), lines))
}

/** What the model was told to say in the first turn. */
export function scripted({ script }: Recording): { words: string[]; tools: string[]; thoughts: string[] } {
  const replies = script.turns[0] ?? []
  return {
    words: replies.flatMap(({ text: words }) => (words === undefined ? [] : [[words].flat().join('')])),
    tools: replies.flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
    thoughts: replies.flatMap(({ thoughts = [] }) => thoughts.map(({ subject }) => subject)),
  }
}

/**
 * What holds of every reader: it never throws, and every line gives an event, but for those that are known to give
 * none. Returns the first line for which it does not hold.
 *
 * @example expect(firstLostLine(headless, lines)).toBeUndefined()
 */
export function firstLostLine(headless: HeadlessPart, lines: readonly string[], silent?: RegExp): unknown {
  const check = fc.check(
    fc.property(fc.oneof(damagedLines(lines), fc.array(fc.string())), (damaged) => {
      const reader = reading(headless)
      for (const line of damaged) {
        const events = readEvents(reader, [line])
        if (events.length === 0 && line.trim() !== '' && !silent?.test(line)) return false
        reader.readError?.(line)
      }
      reader.end({ code: 1, signal: null }, '')
      return true
    }),
    { numRuns: 300 },
  )
  return check.failed ? (check.counterexample ?? check) : undefined
}

/** Recorded lines with something wrong in them: fields gone, new, or of another kind. */
export function damagedLines(lines: readonly string[]): fc.Arbitrary<string[]> {
  const step = fc.record({
    depth: fc.array(fc.nat(50), { minLength: 1, maxLength: 5 }),
    change: fc.oneof(
      fc.constant({ kind: 'remove' as const }),
      fc.record({ kind: fc.constant('replace' as const), value: fc.jsonValue() }),
      fc.record({ kind: fc.constant('add' as const), name: fc.string(), value: fc.jsonValue() }),
    ),
  })
  const line = fc.tuple(fc.constantFrom(...lines), fc.array(step, { maxLength: 4 })).map(([text, steps]) => {
    const record = JSON.parse(text) as unknown
    for (const { depth, change } of steps) damage(record, depth, change)
    return JSON.stringify(record)
  })
  return fc.array(line, { minLength: 1, maxLength: 12 })
}

type Change =
  | { kind: 'remove' }
  | { kind: 'replace'; value: unknown }
  | { kind: 'add'; name: string; value: unknown }

function damage(record: unknown, [first = 0, ...depth]: readonly number[], change: Change): void {
  if (typeof record !== 'object' || record === null) return
  const fields = record as Record<string, unknown>
  const keys = Object.keys(fields)
  const key = keys[first % Math.max(1, keys.length)]
  if (change.kind === 'add' && depth.length === 0) fields[change.name] = change.value
  else if (key === undefined) return
  else if (depth.length > 0) damage(fields[key], depth, change)
  else if (change.kind === 'remove') delete fields[key]
  else if (change.kind === 'replace') fields[key] = change.value
}
