import type { Desire } from './desire.ts'
import type { FailureClass } from '../classify/failure-class.ts'
import { inputText } from './input-text.ts'
import { type Counted, formatDay, getSessionKey, tally, top } from './tally.ts'

const day = 86_400_000

/** Details of some failures that help to fix them. */
export interface Inspection {
  readonly count: number
  readonly sessions: number
  readonly first: number
  readonly last: number
  readonly classes: readonly { readonly class: FailureClass; readonly rule: string; readonly count: number }[]
  readonly agents: readonly Counted[]
  /** Every day from the first to the last, also days without failures. */
  readonly days: readonly { readonly day: string; readonly count: number }[]
  readonly inputs: readonly Counted[]
  readonly errors: readonly Counted[]
  readonly latestSessions: readonly {
    readonly agent: string
    readonly session: string
    readonly count: number
    readonly last: number
  }[]
}

/** Options of `inspect`. */
export interface InspectOptions {
  /** How many inputs, errors and sessions; 5 by default. */
  readonly top?: number
  /** Minutes that local time is ahead of UTC; 0 by default. */
  readonly utcOffset?: number
}

/**
 * Summarizes failures of one or more patterns.
 *
 * @example inspect(failures.filter(({ pattern }) => pattern === 'Bash: missing-command jq'))
 */
export function inspect(
  failures: readonly Desire[],
  { top: limit = 5, utcOffset = 0 }: InspectOptions = {},
): Inspection {
  const times = failures.map(({ at }) => at)
  const first = times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  const last = times.reduce((one, other) => Math.max(one, other), 0)
  return {
    count: failures.length,
    sessions: new Set(failures.map(getSessionKey)).size,
    first: failures.length === 0 ? 0 : first,
    last,
    classes: tally(failures.map((failure) => `${failure.class} ${failure.rule}`)).map(([name, count]) => {
      const [kind = '', rule = ''] = name.split(' ')
      return { class: kind as FailureClass, rule, count }
    }),
    agents: top(
      failures.map(({ agent }) => agent),
      Number.POSITIVE_INFINITY,
    ),
    days: failures.length === 0 ? [] : countByDay(times, first, last, utcOffset),
    inputs: top(
      failures.map(({ input }) => inputText(input)).filter((text) => text !== ''),
      limit,
    ),
    errors: top(
      failures.map(({ line }) => line).filter((line) => line !== ''),
      limit,
    ),
    latestSessions: latest(failures).slice(0, limit),
  }
}

function countByDay(
  times: readonly number[],
  first: number,
  last: number,
  utcOffset: number,
): Inspection['days'] {
  const counts = new Map(tally(times.map((at) => formatDay(at, utcOffset))))
  const days = []
  const end = formatDay(last, utcOffset)
  for (let at = first; ; at += day) {
    const name = formatDay(at, utcOffset)
    days.push({ day: name, count: counts.get(name) ?? 0 })
    if (name >= end) return days
  }
}

function latest(failures: readonly Desire[]): Inspection['latestSessions'] {
  const found = new Map<string, { agent: string; session: string; count: number; last: number }>()
  for (const failure of failures) {
    const { agent, session, at } = failure
    const known = found.get(getSessionKey(failure))
    if (known) {
      known.count++
      known.last = Math.max(known.last, at)
    } else found.set(getSessionKey(failure), { agent, session, count: 1, last: at })
  }
  return [...found.values()].sort((one, other) => other.last - one.last)
}
