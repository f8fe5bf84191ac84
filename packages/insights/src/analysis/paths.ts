import type { Desire } from './desire.ts'
import type { FailureClass } from '../classify/failure-class.ts'
import { inputText } from './input-text.ts'
import { getSessionKey, tally } from './tally.ts'

const day = 86_400_000
/** The number of days after which a failure weighs half. */
const halfLife = 14
/** The minimum weight, so that months of old transcripts count on the first import. */
const least = 0.1

/** The trends of a desire path. */
export const trends = ['new', 'up', 'steady', 'down', 'quiet'] as const
/** How a desire path changes over time. */
export type Trend = (typeof trends)[number]

/** Failures of one kind: something that agents try repeatedly and that does not work. */
export interface DesirePath {
  readonly name: string
  readonly tool: string
  readonly class: FailureClass
  readonly rule: string
  readonly detail?: string
  /** The most frequent details, such as files; at most three. */
  readonly details: readonly string[]
  readonly score: number
  readonly count: number
  readonly sessions: number
  readonly agents: readonly string[]
  readonly first: number
  readonly last: number
  readonly trend: Trend
  /** The latest of them. */
  readonly example: Desire
}

interface Group {
  readonly sessions: Set<string>
  readonly agents: Set<string>
  readonly details: string[]
  count: number
  weight: number
  /** Failures in the last seven days, and in the seven days before. */
  recent: number
  before: number
  first: number
  latest: Desire
}

/**
 * Groups failures into patterns, the most costly first. Each failure weighs between 1 (now) and 0.1 (long ago) and loses
 * half of its weight every 14 days. The sum is multiplied by 1 + log2 of the number of sessions.
 *
 * @example const [worst] = paths(desires(await ledger.calls({ failed: true })))
 */
export function paths(failures: readonly Desire[], now = Date.now()): DesirePath[] {
  const groups = new Map<string, Group>()
  for (const failure of failures) {
    let group = groups.get(failure.pattern)
    if (!group) {
      const empty = { count: 0, weight: 0, recent: 0, before: 0, first: failure.at, latest: failure }
      group = { ...empty, sessions: new Set(), agents: new Set(), details: [] }
      groups.set(failure.pattern, group)
    }
    add(group, failure, now)
  }
  return [...groups]
    .map(([name, group]) => toPath(name, group, now))
    .sort(
      (one, other) => other.score - one.score || other.last - one.last || (one.name < other.name ? -1 : 1),
    )
}

function add(group: Group, failure: Desire, now: number): void {
  const age = Math.max(0, (now - failure.at) / day)
  group.count++
  group.weight += least + (1 - least) * 0.5 ** (age / halfLife)
  if (age < 7) group.recent++
  else if (age < 14) group.before++
  group.first = Math.min(group.first, failure.at)
  if (failure.at >= group.latest.at) group.latest = failure
  group.sessions.add(getSessionKey(failure))
  group.agents.add(failure.agent)
  const about = findDetail(failure)
  if (about !== undefined) group.details.push(about)
}

/** The detail of a failure, or the path in the tool's input if the error names none. */
function findDetail({ detail, class: kind, tool, input }: Desire): string | undefined {
  if (detail !== undefined || kind !== 'wrong-path' || tool === 'Bash') return detail
  const text = inputText(input)
  return text === '' || text.includes('\n') || text.startsWith('{') ? undefined : text
}

function toPath(name: string, group: Group, now: number): DesirePath {
  const { latest, sessions } = group
  return {
    name,
    tool: latest.tool,
    class: latest.class,
    rule: latest.rule,
    ...(latest.detail === undefined ? {} : { detail: latest.detail }),
    details: tally(group.details)
      .slice(0, 3)
      .map(([about]) => about),
    score: Math.round(group.weight * (1 + Math.log2(sessions.size)) * 10) / 10,
    count: group.count,
    sessions: sessions.size,
    agents: [...group.agents].sort(),
    first: group.first,
    last: latest.at,
    trend: getTrend(group, now),
    example: latest,
  }
}

function getTrend({ recent, before, first }: Group, now: number): Trend {
  if (recent === 0) return 'quiet'
  if (now - first < 7 * day) return 'new'
  if (recent === before) return 'steady'
  return recent > before ? 'up' : 'down'
}
