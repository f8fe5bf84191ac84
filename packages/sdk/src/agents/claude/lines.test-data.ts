import { readFileSync } from 'node:fs'
import { Event, type Message } from '@remora/protocol'
import fc from 'fast-check'
import type { TranscriptsPart } from '../../contract/agent.ts'
import { EventMaker } from '../../events/event-maker.ts'
import { asRecord } from '../../events/fields.ts'

/** The time at which all recordings were made. */
export const recordedAt = Date.UTC(2026, 0, 1)

export function readFileLines(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}

/** Reads lines as the channel does; a new reader continues from the saved state before each line of `cuts`. */
export function readLines(
  part: TranscriptsPart,
  path: string,
  lines: readonly string[],
  cuts: readonly number[] = [],
): Event[][] {
  let state: string | undefined
  let maker: EventMaker
  const begin = () => {
    maker = new EventMaker({ agent: 'test', channel: 'transcripts', source: 'transcript' })
    return part.reader!(maker, { path, ...(state === undefined ? {} : { state: JSON.parse(state) }) })
  }
  let reader = begin()
  let offset = 0
  return lines.map((line, index) => {
    if (cuts.includes(index)) {
      state = JSON.stringify(reader.state())
      reader = begin()
    }
    maker.next(maker.at, String(offset), 'digest')
    offset += line.length + 1
    const record = asRecord(parsed(line))
    return ((record && reader.read(record)) ?? []).map((event) => Event.parse(event))
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Orders in which events of several sources may arrive. Each source keeps its own order. */
export function arrivals(lists: readonly (readonly Event[])[]): fc.Arbitrary<number[]> {
  const turns = lists.flatMap((list, index) => list.map(() => index))
  return fc.shuffledSubarray(turns, { minLength: turns.length })
}

/** The events of the lists in such an order. */
export function arrived(lists: readonly (readonly Event[])[], order: readonly number[]): Event[] {
  const next = lists.map(() => 0)
  return order.map((index) => lists[index]![next[index]!++]!)
}

/** The visible content of messages, without ids, times and remarks of the CLI. */
export function seen(messages: readonly Message[]): unknown[] {
  return messages.flatMap(({ role, context, content, parent }) =>
    role === 'system' || context
      ? []
      : content.map((block) => {
          if (block.type === 'tool_use') return [parent, role, block.name, block.input]
          if (block.type === 'tool_result') return [parent, role, block.status, block.content]
          if (block.type === 'text') return [parent, role, block.text]
          return block.type === 'thinking' ? [parent, role, block.thinking] : [parent, role, block.type]
        }),
  )
}

/** The first damaged record for which a reader throws or loses the raw line; undefined if there is none. */
export function firstBadRecord(part: TranscriptsPart, path: string, lines: readonly string[]): unknown {
  const change = fc.record({
    way: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
    value: fc.option(fc.jsonValue(), { nil: undefined }),
  })
  const line = fc
    .tuple(fc.constantFrom(...lines), fc.array(change, { maxLength: 3 }))
    .map(([text, changes]) => {
      const record: unknown = JSON.parse(text)
      for (const { way, value } of changes) damage(record, way, value)
      return JSON.stringify(record)
    })
  const property = fc.property(
    fc.array(line, { minLength: 1, maxLength: 12 }),
    fc.array(fc.nat(11), { maxLength: 2 }),
    (damaged, cuts) => {
      for (const [index, events] of readLines(part, path, damaged, cuts).entries())
        if (events.length > 0 && JSON.stringify(events[0]!.raw) !== damaged[index]) return false
      return true
    },
  )
  const result = fc.check(property, { numRuns: 300 })
  return result.failed ? (result.counterexample ?? result) : undefined
}

/** Removes a field or replaces its value. */
function damage(record: unknown, [first = 0, ...way]: readonly number[], value: unknown): void {
  if (typeof record !== 'object' || record === null) return
  const fields = record as Record<string, unknown>
  const keys = Object.keys(fields)
  const key = keys[first % Math.max(1, keys.length)]
  if (key === undefined) return
  if (way.length > 0) damage(fields[key], way, value)
  else if (value === undefined) delete fields[key]
  else fields[key] = value
}
