import type { CallEntry } from '@remora/ledger'
import type { Desire } from './desire.ts'
import { type DocMapping, docFor } from './doc-mapping.ts'
import { getSessionKey, tally } from './tally.ts'

/** A tool that failed repeatedly in one session. */
export interface Struggle {
  readonly agent: string
  readonly session: string
  readonly tool: string
  readonly calls: number
  readonly failed: number
  readonly rate: number
  /** The pattern that occurred most. */
  readonly pattern: string
  readonly last: number
  /** The documentation that the user linked to the pattern. */
  readonly doc?: string
}

/**
 * Sessions in which one tool failed repeatedly, the worst first.
 *
 * @example struggling(all, desires(all), { minFails: 3 })
 */
export function struggling(
  calls: readonly CallEntry[],
  failures: readonly Desire[],
  { minFails = 3, mappings = [] }: { minFails?: number; mappings?: readonly DocMapping[] } = {},
): Struggle[] {
  const pair = (call: CallEntry): string => `${getSessionKey(call)} ${call.tool}`
  const groups = new Map<string, Desire[]>()
  for (const failure of failures) {
    const group = groups.get(pair(failure))
    if (group) group.push(failure)
    else groups.set(pair(failure), [failure])
  }
  const totals = new Map(tally(calls.map(pair)))
  return [...groups.values()]
    .filter((group) => group.length >= minFails)
    .map((group) => {
      const { agent, session, tool } = group[0]!
      const all = Math.max(totals.get(pair(group[0]!)) ?? 0, group.length)
      const [[pattern]] = tally(group.map((failure) => failure.pattern)) as [[string, number]]
      const doc = docFor(mappings, { name: pattern, tool })?.doc
      return {
        agent,
        session,
        tool,
        calls: all,
        failed: group.length,
        rate: Math.round((group.length / all) * 1000) / 1000,
        pattern,
        last: group.reduce((latest, { at }) => Math.max(latest, at), 0),
        ...(doc === undefined ? {} : { doc }),
      }
    })
    .sort((one, other) => other.failed - one.failed || other.rate - one.rate || other.last - one.last)
}
