import type { Usage } from '@remora/protocol/plain'
import type { Agent } from '../contract/agent.ts'
import type { Spent, Summary } from '../channels/transcripts/summary.ts'
import { scanAgent } from '../channels/transcripts/scan.ts'
import { type SessionsPlace, chosen, isIn, toPlace } from './sessions.ts'
import { resolveLinks } from '../files/paths.ts'
import { resolve } from 'node:path'

/** The fields that usage can be grouped by. */
export const usageGroups = ['day', 'agent', 'model', 'project', 'session'] as const
/** A field that usage is grouped by. */
export type UsageGroup = (typeof usageGroups)[number]

/** Selects and groups usage. */
export interface UsageOptions extends SessionsPlace {
  /** The fields to group by; one total by default. */
  readonly by?: readonly UsageGroup[]
  readonly agent?: string
  readonly cwd?: string
  readonly since?: number
  readonly until?: number
  /** Minutes that local time is ahead of UTC, for days; 0 by default. */
  readonly utcOffset?: number
}

/** The tokens of one group, with the fields by which it was grouped. */
export interface UsageRow {
  readonly day?: string
  readonly agent?: string
  readonly model?: string
  readonly project?: string
  readonly session?: string
  readonly usage: Usage
}

/**
 * Sums up the tokens of sessions, from the agents' own files. A message that two sessions contain, such as after a
 * fork, is counted once.
 *
 * @example await usage({ by: ['day', 'model'], since: Date.now() - 7 * 86_400_000 })
 */
export async function usage(options: UsageOptions = {}): Promise<UsageRow[]> {
  const place = toPlace(options)
  const cwd = options.cwd === undefined ? undefined : await resolveLinks(resolve(options.cwd))
  const groups: Groups = new Map()
  for (const agent of chosen(options.agent)) {
    const summaries = await scanAgent(agent, place)
    for (const [key, { fields, usage: spent }] of getSums(agent, summaries, { ...options, cwd })) {
      let group = groups.get(key)
      if (!group) groups.set(key, (group = { fields, usage: {} }))
      add(group.usage, spent)
    }
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => ({ ...group.fields, usage: group.usage }))
}

type Groups = Map<string, { readonly fields: Omit<UsageRow, 'usage'>; readonly usage: Usage }>
type Query = Pick<UsageOptions, 'by' | 'since' | 'until' | 'utcOffset'> & {
  readonly cwd?: string | undefined
}

/** Sums by list of sessions: a scan that finds no changes returns the same list. */
const sums = new WeakMap<readonly Summary[], Map<string, Groups>>()

function getSums(agent: Agent, summaries: readonly Summary[], query: Query): Groups {
  const { by, since, until, utcOffset, cwd } = query
  const key = JSON.stringify([by, since, until, utcOffset, cwd])
  let known = sums.get(summaries)
  if (!known) sums.set(summaries, (known = new Map()))
  let groups = known.get(key)
  if (!groups) known.set(key, (groups = sumUp(agent, summaries, query)))
  return groups
}

function sumUp(agent: Agent, summaries: readonly Summary[], query: Query): Groups {
  const { by = [], since = -Infinity, until = Infinity, cwd } = query
  const groups: Groups = new Map()
  const counted = new Set<string>()
  for (const summary of summaries) {
    if (cwd !== undefined && !isIn(agent, summary, cwd)) continue
    for (const spent of summary.spent.values()) {
      if (counted.has(spent.entity)) continue
      counted.add(spent.entity)
      if (spent.at < since || spent.at >= until) continue
      const fields = getGroupFields(query, agent.id, summary.id, summary.cwd, spent)
      const key = by.length === 0 ? '' : JSON.stringify(fields)
      let group = groups.get(key)
      if (!group) groups.set(key, (group = { fields, usage: {} }))
      add(group.usage, spent.usage)
    }
  }
  return groups
}

/** Adds in place, because there is one call for each answer of the model. */
function add(total: Usage, usage: Usage): void {
  for (const key in usage) {
    const name = key as keyof Usage
    total[name] = (total[name] ?? 0) + usage[name]!
  }
}

/** Formats the day of a time; `unknown` for an invalid time. */
function formatDay(time: number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString().replace(/T.*/, '')
}

function getGroupFields(
  { by = [], utcOffset = 0 }: Query,
  agent: string,
  session: string,
  cwd: string | undefined,
  spent: Spent,
): Omit<UsageRow, 'usage'> {
  return {
    ...(by.includes('day') ? { day: formatDay(spent.at + utcOffset * 60_000) } : {}),
    ...(by.includes('agent') ? { agent } : {}),
    ...(by.includes('model') && spent.model !== undefined ? { model: spent.model } : {}),
    ...(by.includes('project') && cwd !== undefined ? { project: cwd } : {}),
    ...(by.includes('session') ? { session } : {}),
  }
}
