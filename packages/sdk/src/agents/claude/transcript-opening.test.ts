import { fold } from '@remora/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordedSessions } from '../transcripts.test-data.ts'
import { readFileLines, readLines, recordedAt, seen } from './lines.test-data.ts'
import { transcripts } from './transcripts.ts'

// One session of each kind: the other scenarios start in the same way.
const kinds = [
  'hello',
  'shell',
  'parallel',
  'thoughts-only-then-text',
  'two-turns',
  'fault-500',
  'fault-safety',
]
const sessions = recordedSessions(import.meta.url).filter(({ scenario }) => kinds.includes(scenario))

/** The lines of a session with different times, since recordings have the same time everywhere. */
function readTimedLines(path: string): string[] {
  return readFileLines(path).map((line, index) => {
    const record = JSON.parse(line) as Record<string, unknown>
    const timestamp = new Date(recordedAt + index * 1000).toISOString()
    return JSON.stringify('timestamp' in record ? { ...record, timestamp } : record)
  })
}

const isLinked = (line: string) => 'parentUuid' in (JSON.parse(line) as object)
const show = (path: string, lines: readonly string[], cuts?: readonly number[]) =>
  fold(readLines(transcripts, path, lines, cuts).flat())

/** Puts the linked lines at these places into another order. The other lines stay. */
function reorder(lines: readonly string[], places: readonly number[], order: readonly number[]): string[] {
  const result = [...lines]
  for (const [index, place] of places.entries()) result[place] = lines[places[order[index]!]!]!
  return result
}

function permute(count: number): number[][] {
  if (count === 0) return [[]]
  return permute(count - 1).flatMap((rest) =>
    Array.from({ length: count }, (_, at) => [...rest.slice(0, at), count - 1, ...rest.slice(at)]),
  )
}

describe.each(sessions.map((each) => [`${each.version} ${each.scenario} (${each.way})`, each.path] as const))(
  '%s',
  (_, path) => {
    const lines = readTimedLines(path)
    const linked = lines.flatMap((line, index) => (isLinked(line) ? [index] : []))
    const expected = seen(show(path, lines))

    it('reads the same for every order of its first five records', () => {
      const places = linked.slice(0, 5)
      for (const order of permute(places.length))
        expect(seen(show(path, reorder(lines, places, order)))).toEqual(expected)
    })

    it('reads the same for every order of prompt, answer and result, also in pieces', () => {
      // The records that a person sees, wherever attachments are between them.
      const shown = linked.filter((index) => /"role":"(?:user|assistant)"/.test(lines[index]!)).slice(0, 4)
      for (const order of permute(shown.length)) {
        const changed = reorder(lines, shown, order)
        const whole = show(path, changed)
        expect(seen(whole)).toEqual(expected)
        expect(show(path, changed, [...changed.keys()])).toEqual(whole)
      }
    })

    it('reads the same for any order of its first records, read in any pieces', () => {
      const places = linked.slice(0, 12)
      const order = fc.shuffledSubarray([...places.keys()], { minLength: places.length })
      const cuts = fc.uniqueArray(fc.nat(lines.length - 1), { maxLength: 6 })
      fc.assert(
        fc.property(order, cuts, (numbers, pieces) => {
          const changed = reorder(lines, places, numbers)
          const whole = show(path, changed)
          expect(seen(whole)).toEqual(expected)
          expect(show(path, changed, pieces)).toEqual(whole)
        }),
        { numRuns: 20 },
      )
    })
  },
)
