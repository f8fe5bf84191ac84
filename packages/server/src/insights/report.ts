import { createHash } from 'node:crypto'
import { type Desire, type DesirePath, failureClasses } from '@remora/insights'
import type { Ledger } from '@remora/ledger'
import type { InsightsSummary, NamedRate, PathInfo, TrendDay } from '@remora/protocol/api'
import { clip } from './clip.ts'
import { type Chosen, lookInto } from './failures.ts'

const dayMs = 86_400_000
/** What a picture holds; who wants more asks the command line. */
const most = { projects: 30, choices: 200, days: 800 }

/** Failures at a glance. */
export async function summaryOf(ledger: Ledger, chosen: Chosen): Promise<InsightsSummary> {
  const whole = await lookInto(ledger)
  const { desires, corrected } = whole.of(chosen)
  const by = ['agent', 'project', 'session'] as const
  const everything = await whole.count({ by })
  const counts = Object.keys(chosen).length === 0 ? everything : await whole.count({ ...chosen, by })
  return {
    calls: counts.reduce((sum, { calls }) => sum + calls, 0),
    failed: desires.length,
    corrected: corrected.length,
    sessions: counts.length,
    ...(desires.length === 0 ? {} : { first: desires[0]!.at, last: desires.at(-1)!.at }),
    paths: new Set(desires.map(({ pattern }) => pattern)).size,
    classes: counted(desires, (each) => each.class),
    agents: rates(counts, 'agent', desires),
    projects: rates(counts, 'project', desires).slice(0, most.projects),
    choices: {
      agents: distinct(everything.map(({ agent }) => agent)),
      projects: distinct(everything.map(({ project }) => project)).slice(0, most.choices),
    },
  }
}

/** What was corrected counts as a call, and not as a failure: the ledger does not know the difference. */
function rates(
  counts: readonly { readonly agent?: string; readonly project?: string; readonly calls: number }[],
  by: 'agent' | 'project',
  desires: readonly Desire[],
): NamedRate[] {
  const failed = new Map(
    counted(desires, (each) => (by === 'agent' ? each.agent : (each.cwd ?? ''))).map(({ name, count }) => [
      name,
      count,
    ]),
  )
  const calls = new Map<string, number>()
  for (const each of counts) calls.set(each[by] ?? '', (calls.get(each[by] ?? '') ?? 0) + each.calls)
  return [...calls]
    .map(([name, all]) => ({ name, calls: all, failed: failed.get(name) ?? 0 }))
    .sort((one, other) => other.failed - one.failed || other.calls - one.calls)
}

/** Failures by day, every day from the first to the last. */
export async function trendOf(ledger: Ledger, chosen: Chosen, utcOffset: number): Promise<TrendDay[]> {
  const whole = await lookInto(ledger)
  const { desires } = whole.of(chosen)
  const counts = await whole.count({ ...chosen, by: ['day'], utcOffset })
  const calls = new Map(counts.map((each) => [each.day, each.calls]))
  const found = new Map<string, Record<string, number>>()
  for (const { at, class: kind } of desires) {
    const day = dayOf(at, utcOffset)
    const classes = found.get(day) ?? {}
    classes[kind] = (classes[kind] ?? 0) + 1
    found.set(day, classes)
  }
  const [first, last] = [counts[0]?.day, counts.at(-1)?.day]
  if (first === undefined || last === undefined) return []
  return daysBetween(first, last, most.days).map((day) => {
    const classes = found.get(day) ?? {}
    const failed = Object.values(classes).reduce((sum, each) => sum + each, 0)
    return { day, calls: calls.get(day) ?? 0, failed, classes }
  })
}

/** The paths, the most costly first. */
export async function pathsOf(
  ledger: Ledger,
  chosen: Chosen,
  { limit, kind }: { readonly limit: number; readonly kind?: string | undefined },
): Promise<{ paths: PathInfo[]; total: number }> {
  const all = await (await lookInto(ledger)).of(chosen).paths()
  const found = kind === undefined ? all : all.filter((each) => each.class === kind)
  return { paths: found.slice(0, limit).map(pathInfo), total: found.length }
}

/** Names are long and may hold anything; an address needs something short. */
export function pathId(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 16)
}

/** A path as programs are told of it, without its example. */
export function pathInfo(path: DesirePath): PathInfo {
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
    id: pathId(path.name),
    name: clip(path.name, 300),
    tool: clip(path.tool, 100),
    ...(detail === undefined ? {} : { detail: clip(detail, 200) }),
    details: path.details.map((each) => clip(each, 300)),
    agents: [...path.agents],
  }
}

/** How often each of some words occurs, the most frequent first; classes in their own order where equal. */
export function counted<T>(all: readonly T[], nameOf: (one: T) => string): { name: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const each of all) counts.set(nameOf(each), (counts.get(nameOf(each)) ?? 0) + 1)
  const rank = (name: string): number => (failureClasses as readonly string[]).indexOf(name)
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || rank(one.name) - rank(other.name))
}

export function dayOf(at: number, utcOffset: number): string {
  return new Date(at + utcOffset * 60_000).toISOString().slice(0, 10)
}

/** Every day from one to another, the last ones where there are too many. */
export function daysBetween(first: string, last: string, limit: number): string[] {
  const [start, end] = [Date.parse(first), Date.parse(last)]
  if (!Number.isFinite(start) || !Number.isFinite(end)) return []
  const days: string[] = []
  for (let at = Math.max(start, end - (limit - 1) * dayMs); at <= end; at += dayMs)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

function distinct(words: readonly (string | undefined)[]): string[] {
  return [...new Set(words.filter((word) => word !== undefined))].sort()
}
