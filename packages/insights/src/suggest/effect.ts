import type { CallEntry } from '@remora/ledger'
import type { Desire } from '../analysis/desire.ts'
import { getSessionKey } from '../analysis/tally.ts'

const day = 86_400_000
/** In a longer period, other changes affect the numbers. */
const longestDays = 30
/** Fewer sessions since the fix are not conclusive. */
const leastSessions = 3

/** A measure that the user took against failures. */
export interface Fix {
  readonly kind: 'alias' | 'hook' | 'mapping' | 'lessons'
  readonly name: string
  readonly createdAt: number
  readonly agent?: string
  readonly fits: (failure: Desire) => boolean
}

/** The verdicts on a fix. */
export const verdicts = ['gone', 'down', 'same', 'up', 'none before', 'too early'] as const
/** Whether a fix reduced failures. */
export type Verdict = (typeof verdicts)[number]

/** Failures and sessions in one period. */
export interface EffectCounts {
  readonly failures: number
  /** All sessions with calls in the period, with and without such failures. */
  readonly sessions: number
  readonly perDay: number
  readonly perSession: number
}

/** How failures changed after a fix. */
export interface Effect {
  readonly kind: Fix['kind']
  readonly name: string
  readonly agent?: string
  readonly createdAt: number
  /** The length of the two periods, before and after the fix. */
  readonly days: number
  readonly before: EffectCounts
  readonly after: EffectCounts
  readonly verdict: Verdict
}

/**
 * Compares the failures since a fix with those in an equally long period before it.
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
        calls
          .filter((call) => within(call) && (agent === undefined || call.agent === agent))
          .map(getSessionKey),
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
    return { ...about, before, after, verdict: decideVerdict(before, after, length) }
  })
}

function rate(count: number, by: number): number {
  return by === 0 ? 0 : Math.round((count / by) * 100) / 100
}

function decideVerdict(before: EffectCounts, after: EffectCounts, length: number): Verdict {
  if (length < day || after.sessions < leastSessions) return 'too early'
  if (before.failures === 0) return 'none before'
  if (after.failures === 0) return 'gone'
  // Per session, because a busy week has more of everything. Small changes are not conclusive.
  const change = after.failures / after.sessions / (before.failures / before.sessions)
  if (change < 0.8) return 'down'
  return change > 1.25 ? 'up' : 'same'
}
