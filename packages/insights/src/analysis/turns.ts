import type { CallEntry } from '@remora/ledger'
import { isCorrected } from './desire.ts'
import { getSessionKey } from './tally.ts'

/** The calls of one prompt. */
export interface Turn {
  readonly agent: string
  readonly session: string
  readonly turn: number
  readonly at: number
  readonly calls: number
  readonly failed: number
  readonly durationMs: number
  /** The tools in order; consecutive calls of one tool are listed once, with a `+`. */
  readonly tools: readonly string[]
}

/** How many calls turns take. */
export interface TurnsReport {
  readonly turns: number
  readonly calls: number
  readonly average: number
  readonly median: number
  /** Turns of at least the requested length, the longest first. */
  readonly long: readonly Turn[]
  readonly longShare: number
}

/**
 * How many calls prompts take, and which prompts take many. Calls of sub-agents belong to one call and are not counted.
 *
 * @example turns(await ledger.calls(), 5).longShare // 0.25
 */
export function turns(calls: readonly CallEntry[], minLength = 5): TurnsReport {
  const all = listTurns(calls)
  const lengths = all.map(({ calls: length }) => length).sort((one, other) => one - other)
  const long = all
    .filter(({ calls: length }) => length >= minLength)
    .sort((one, other) => other.calls - one.calls || other.at - one.at)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  return {
    turns: all.length,
    calls: total,
    average: all.length === 0 ? 0 : Math.round((total / all.length) * 10) / 10,
    median: lengths[Math.floor(lengths.length / 2)] ?? 0,
    long,
    longShare: all.length === 0 ? 0 : Math.round((long.length / all.length) * 1000) / 1000,
  }
}

/** Every turn with a tool call, in order of time. */
export function listTurns(calls: readonly CallEntry[]): Turn[] {
  const groups = new Map<string, CallEntry[]>()
  for (const call of calls) {
    if (call.parent !== undefined) continue
    const key = `${getSessionKey(call)} ${call.turn}`
    const group = groups.get(key)
    if (group) group.push(call)
    else groups.set(key, [call])
  }
  return [...groups.values()].map((group) => {
    const sorted = group.toSorted((one, other) => one.at - other.at)
    const [first] = sorted
    const end = sorted.reduce((latest, { at, endedAt = at }) => Math.max(latest, endedAt), 0)
    return {
      agent: first!.agent,
      session: first!.session,
      turn: first!.turn,
      at: first!.at,
      calls: group.length,
      failed: group.filter((call) => call.failed && !isCorrected(call)).length,
      durationMs: end - first!.at,
      tools: collapsed(sorted.map(({ tool }) => tool)),
    }
  })
}

/** @example collapsed(['Read', 'Read', 'Edit']) // ['Read+', 'Edit'] */
export function collapsed(tools: readonly string[]): string[] {
  const runs: string[] = []
  for (const tool of tools) {
    const last = runs.at(-1)
    if (last === tool) runs[runs.length - 1] = `${tool}+`
    else if (last !== `${tool}+`) runs.push(tool)
  }
  return runs
}
