import type { CallEntry } from '@remora/ledger'
import { type Desire, isCorrected } from './desire.ts'
import type { FailureClass } from '../classify/failure-class.ts'
import { tally } from './tally.ts'

const hour = 3_600_000

/** The number of calls and of failed calls. */
export interface Rate {
  readonly calls: number
  readonly failed: number
}

/** The rate of one tool, agent or class. */
export interface NamedRate extends Rate {
  readonly name: string
}

/** Numbers of calls and of failures. */
export interface Stats extends Rate {
  readonly sessions: number
  /** Calls that the pave hook refused and corrected: they count as calls, and not as failures. */
  readonly corrected: number
  readonly first: number | null
  readonly last: number | null
  readonly last24h: Rate
  readonly last7d: Rate
  readonly last30d: Rate
  readonly agents: readonly NamedRate[]
  readonly tools: readonly NamedRate[]
  readonly classes: readonly { readonly class: FailureClass; readonly count: number }[]
}

/**
 * Totals over all calls; agents and tools with most failures come first.
 *
 * @example const all = await ledger.calls(); stats(all, desires(all))
 */
export function stats(calls: readonly CallEntry[], failures: readonly Desire[], now = Date.now()): Stats {
  const times = calls.map(({ at }) => at)
  const since = (hours: number): Rate => countRate(calls.filter(({ at }) => at >= now - hours * hour))
  return {
    ...countRate(calls),
    sessions: new Set(calls.map(({ agent, session }) => `${agent} ${session}`)).size,
    corrected: calls.filter(isCorrected).length,
    first: times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other)),
    last: times.length === 0 ? null : times.reduce((one, other) => Math.max(one, other)),
    last24h: since(24),
    last7d: since(7 * 24),
    last30d: since(30 * 24),
    agents: rates(calls, ({ agent }) => agent),
    tools: rates(calls, ({ tool }) => tool),
    classes: tally(failures.map((failure) => failure.class)).map(([name, count]) => ({
      class: name as FailureClass,
      count,
    })),
  }
}

function isFailure(call: CallEntry): boolean {
  return call.failed && !isCorrected(call)
}

function countRate(calls: readonly CallEntry[]): Rate {
  return { calls: calls.length, failed: calls.filter(isFailure).length }
}

function rates(calls: readonly CallEntry[], getName: (call: CallEntry) => string): NamedRate[] {
  const found = new Map<string, { name: string; calls: number; failed: number }>()
  for (const call of calls) {
    const name = getName(call)
    const rate = found.get(name) ?? { name, calls: 0, failed: 0 }
    rate.calls++
    if (isFailure(call)) rate.failed++
    found.set(name, rate)
  }
  return [...found.values()].sort(
    (one, other) => other.failed - one.failed || other.calls - one.calls || (one.name < other.name ? -1 : 1),
  )
}
