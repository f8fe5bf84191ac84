import type { CallEntry } from '@remora/ledger'
import { getSessionKey } from './tally.ts'
import { listTurns } from './turns.ts'

/** A sequence of tools that recurs in several sessions. */
export interface TurnPattern {
  readonly tools: readonly string[]
  readonly count: number
  readonly sessions: number
  readonly last: number
}

const lengths = [6, 5, 4, 3]
const arrow = ' → '

interface Found {
  count: number
  last: number
  readonly sessions: Set<string>
}

/**
 * Sequences of three to six tools that recur in several sessions; repeated calls of one tool count as one step. A part
 * of a longer sequence that occurs in as many sessions is left out.
 *
 * @example turnPatterns(await ledger.calls())[0]?.tools // ['Grep', 'Read', 'Edit']
 */
export function turnPatterns(calls: readonly CallEntry[], minSessions = 3): TurnPattern[] {
  const found = new Map<string, Found>()
  for (const turn of listTurns(calls)) {
    // The number of repetitions varies, so it is ignored.
    const tools = turn.tools.map((tool) => tool.replace(/\+$/, ''))
    for (const length of lengths)
      for (let start = 0; start + length <= tools.length; start++) {
        const key = tools.slice(start, start + length).join(arrow)
        const known = found.get(key) ?? { count: 0, last: 0, sessions: new Set() }
        known.count++
        known.last = Math.max(known.last, turn.at)
        known.sessions.add(getSessionKey(turn))
        found.set(key, known)
      }
  }
  const recurring = [...found].filter(([, { sessions }]) => sessions.size >= minSessions)
  const covered = countParts(recurring)
  return recurring
    .filter(([key, { sessions }]) => (covered.get(key) ?? 0) < sessions.size)
    .map(([key, { count, last, sessions }]) => ({
      tools: key.split(arrow),
      count,
      sessions: sessions.size,
      last,
    }))
    .sort(
      (one, other) =>
        other.sessions - one.sessions || other.count - one.count || other.tools.length - one.tools.length,
    )
}

/** For every part of a longer sequence, the number of sessions with the longer one. */
function countParts(recurring: readonly (readonly [string, Found])[]): Map<string, number> {
  const parts = new Map<string, number>()
  for (const [key, { sessions }] of recurring) {
    const tools = key.split(arrow)
    for (const length of lengths.filter((each) => each < tools.length))
      for (let start = 0; start + length <= tools.length; start++) {
        const part = tools.slice(start, start + length).join(arrow)
        parts.set(part, Math.max(parts.get(part) ?? 0, sessions.size))
      }
  }
  return parts
}
