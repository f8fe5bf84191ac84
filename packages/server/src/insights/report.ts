import { createHash } from 'node:crypto'
import { type Desire, type DesirePath, failureClasses } from '@remora/insights'
import { type Ledger, mask } from '@remora/ledger'
import type { InsightsSummary, NamedRate, PathInfo, TrendDay } from '@remora/protocol/api'
import { type CallFilter, readFailures } from './failures.ts'

const dayMs = 86_400_000
/** The limits of a chart; the command line shows more. */
const limits = { projects: 30, choices: 200, days: 800 }

/** Summarizes the failures. */
export async function createSummary(ledger: Ledger, filter: CallFilter): Promise<InsightsSummary> {
  const failures = await readFailures(ledger)
  const { desires, corrected } = failures.select(filter)
  const by = ['agent', 'project', 'session'] as const
  const everything = await failures.count({ by })
  const counts = Object.keys(filter).length === 0 ? everything : await failures.count({ ...filter, by })
  return {
    calls: counts.reduce((sum, { calls }) => sum + calls, 0),
    failed: desires.length,
    corrected: corrected.length,
    sessions: counts.length,
    ...(desires.length === 0 ? {} : { first: desires[0]!.at, last: desires.at(-1)!.at }),
    paths: new Set(desires.map(({ pattern }) => pattern)).size,
    classes: countByName(desires, (each) => each.class),
    agents: createRates(counts, 'agent', desires),
    projects: createRates(counts, 'project', desires).slice(0, limits.projects),
    choices: {
      agents: listDistinct(everything.map(({ agent }) => agent)),
      projects: listDistinct(everything.map(({ project }) => project)).slice(0, limits.choices),
    },
  }
}

/** Corrected calls count as calls and not as failures, although the ledger stores them as failed. */
function createRates(
  counts: readonly { readonly agent?: string; readonly project?: string; readonly calls: number }[],
  by: 'agent' | 'project',
  desires: readonly Desire[],
): NamedRate[] {
  const failed = new Map(
    countByName(desires, (each) => (by === 'agent' ? each.agent : (each.cwd ?? ''))).map(
      ({ name, count }) => [name, count],
    ),
  )
  const calls = new Map<string, number>()
  for (const each of counts) calls.set(each[by] ?? '', (calls.get(each[by] ?? '') ?? 0) + each.calls)
  return [...calls]
    .map(([name, all]) => ({ name, calls: all, failed: failed.get(name) ?? 0 }))
    .sort((one, other) => other.failed - one.failed || other.calls - one.calls)
}

/** Lists failures for every day from the first to the last. */
export async function createTrend(
  ledger: Ledger,
  filter: CallFilter,
  utcOffset: number,
): Promise<TrendDay[]> {
  const failures = await readFailures(ledger)
  const { desires } = failures.select(filter)
  const counts = await failures.count({ ...filter, by: ['day'], utcOffset })
  const calls = new Map(counts.map((each) => [each.day, each.calls]))
  const found = new Map<string, Record<string, number>>()
  for (const { at, class: kind } of desires) {
    const day = formatDay(at, utcOffset)
    const classes = found.get(day) ?? {}
    classes[kind] = (classes[kind] ?? 0) + 1
    found.set(day, classes)
  }
  const [first, last] = [counts[0]?.day, counts.at(-1)?.day]
  if (first === undefined || last === undefined) return []
  return listDays(first, last, limits.days).map((day) => {
    const classes = found.get(day) ?? {}
    const failed = Object.values(classes).reduce((sum, each) => sum + each, 0)
    return { day, calls: calls.get(day) ?? 0, failed, classes }
  })
}

/** Lists paths, the most costly first. */
export async function listPaths(
  ledger: Ledger,
  filter: CallFilter,
  { limit, kind }: { readonly limit: number; readonly kind?: string | undefined },
): Promise<{ paths: PathInfo[]; total: number }> {
  const all = await (await readFailures(ledger)).select(filter).paths()
  const found = kind === undefined ? all : all.filter((each) => each.class === kind)
  return { paths: found.slice(0, limit).map(toPathInfo), total: found.length }
}

/** Hashes a name to a short id for URLs. */
export function createPathId(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 16)
}

/** Converts a path for the API, without its example. */
export function toPathInfo(path: DesirePath): PathInfo {
  const { detail, rule, score, count, sessions, first, last, trend } = path
  return {
    class: path.class,
    rule,
    score,
    count,
    sessions,
    first,
    last,
    trend,
    id: createPathId(path.name),
    name: clip(path.name, 300),
    tool: clip(path.tool, 100),
    ...(detail === undefined ? {} : { detail: clip(detail, 200) }),
    details: path.details.map((each) => clip(each, 300)),
    agents: [...path.agents],
  }
}

/** Counts items by name, the most frequent first; equal classes keep their defined order. */
export function countByName<T>(
  all: readonly T[],
  getName: (one: T) => string,
): { name: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const each of all) counts.set(getName(each), (counts.get(getName(each)) ?? 0) + 1)
  const getRank = (name: string): number => (failureClasses as readonly string[]).indexOf(name)
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || getRank(one.name) - getRank(other.name))
}

export function formatDay(at: number, utcOffset: number): string {
  return new Date(at + utcOffset * 60_000).toISOString().slice(0, 10)
}

/** Lists every day between two; only the last ones if there are too many. */
export function listDays(first: string, last: string, limit: number): string[] {
  const [start, end] = [Date.parse(first), Date.parse(last)]
  if (!Number.isFinite(start) || !Number.isFinite(end)) return []
  const days: string[] = []
  for (let at = Math.max(start, end - (limit - 1) * dayMs); at <= end; at += dayMs)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

function listDistinct(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))].sort()
}

/**
 * Masks secrets and shortens a text. The text is masked before it is cut, since half a secret is not recognised.
 *
 * @example clip('key: sk-ant-api03-abcdefghijklmnop', 200) // 'key: [secret]'
 */
export function clip(text: string, limit: number): string {
  const masked = mask(text.slice(0, limit * 8))
  return masked.length > limit ? `${masked.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…` : masked
}
