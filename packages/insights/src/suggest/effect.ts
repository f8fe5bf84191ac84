import type { CallEntry } from '@remora/ledger'
import type { Desire } from '../analysis/desire.ts'
import { sessionOf } from '../analysis/tally.ts'

const day = 86_400_000
/** More does not tell more, and other things change meanwhile. */
const longestDays = 30
/** With fewer sessions since, chance decides. */
const leastSessions = 3

/** Something that a person did against failures. */
export interface Fix {
  readonly kind: 'alias' | 'hook' | 'mapping' | 'lessons'
  readonly name: string
  readonly createdAt: number
  readonly agent?: string
  readonly fits: (failure: Desire) => boolean
}

export const verdicts = ['gone', 'down', 'same', 'up', 'none before', 'too early'] as const
export type Verdict = (typeof verdicts)[number]

export interface EffectCounts {
  readonly failures: number
  /** All sessions with calls in that time, with such failures or without. */
  readonly sessions: number
  readonly perDay: number
  readonly perSession: number
}

export interface Effect {
  readonly kind: Fix['kind']
  readonly name: string
  readonly agent?: string
  readonly createdAt: number
  /** How long the two windows are, before the fix and since. */
  readonly days: number
  readonly before: EffectCounts
  readonly after: EffectCounts
  readonly verdict: Verdict
}

/**
 * Whether failures went down after what was done against them: how many there were since, and in as much time before.
 *
 * @example effects([{ kind: 'alias', name: 'pip → pip3', createdAt, fits }], calls, desires(calls))
 */
export function effects(
  fixes: readonly Fix[],
  calls: readonly CallEntry[],
  failures: readonly Desire[],
  now = Date.now(),
): Effect[] {
  return fixes.map((fix) => {
    const { kind, name, createdAt, agent } = fix
    const length = Math.min(Math.max(0, now - createdAt), longestDays * day)
    const own = failures.filter(
      (failure) => (agent === undefined || failure.agent === agent) && fix.fits(failure),
    )
    const counts = (from: number): EffectCounts => {
      const within = ({ at }: CallEntry): boolean => at >= from && at < from + length
      const sessions = new Set(
        calls.filter((call) => within(call) && (agent === undefined || call.agent === agent)).map(sessionOf),
      )
      const count = own.filter(within).length
      return {
        failures: count,
        sessions: sessions.size,
        perDay: rate(count, length / day),
        perSession: rate(count, sessions.size),
      }
    }
    const [before, after] = [counts(createdAt - length), counts(createdAt)]
    const days = Math.round((length / day) * 10) / 10
    const about = { kind, name, ...(agent === undefined ? {} : { agent }), createdAt, days }
    return { ...about, before, after, verdict: verdictOf(before, after, length) }
  })
}

function rate(count: number, by: number): number {
  return by === 0 ? 0 : Math.round((count / by) * 100) / 100
}

function verdictOf(before: EffectCounts, after: EffectCounts, length: number): Verdict {
  if (length < day || after.sessions < leastSessions) return 'too early'
  if (before.failures === 0) return 'none before'
  if (after.failures === 0) return 'gone'
  // By session, since a busy week has more of everything; a little more or less is chance.
  const change = after.failures / after.sessions / (before.failures / before.sessions)
  if (change < 0.8) return 'down'
  return change > 1.25 ? 'up' : 'same'
}
