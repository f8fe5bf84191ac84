import type { Usage } from '@remora/protocol/plain'
import type { Spent } from './channels/transcripts/summary.ts'
import { scanAgent } from './channels/transcripts/scan.ts'
import { type SessionsPlace, chosen, isIn, placeOf } from './sessions.ts'
import { realPath } from './agents/folders.ts'
import { resolve } from 'node:path'

export const usageGroups = ['day', 'agent', 'model', 'project', 'session'] as const
export type UsageGroup = (typeof usageGroups)[number]

export interface UsageOptions extends SessionsPlace {
  /** What to tell apart; one total by default. */
  readonly by?: readonly UsageGroup[]
  readonly agent?: string
  readonly cwd?: string
  readonly since?: number
  readonly until?: number
  /** Minutes that local time is ahead of UTC, for days; 0 by default. */
  readonly utcOffset?: number
}

/** What one group cost, with the fields by which it was grouped. */
export interface UsageRow {
  readonly day?: string
  readonly agent?: string
  readonly model?: string
  readonly project?: string
  readonly session?: string
  readonly usage: Usage
}

/**
 * What the agents' sessions cost, from their own files. A message that two sessions hold, as a fork does, is counted
 * once.
 *
 * @example await usage({ by: ['day', 'model'], since: Date.now() - 7 * 86_400_000 })
 */
export async function usage(options: UsageOptions = {}): Promise<UsageRow[]> {
  const place = placeOf(options)
  const cwd = options.cwd === undefined ? undefined : await realPath(resolve(options.cwd))
  const { by = [] } = options
  const groups = new Map<string, { fields: Omit<UsageRow, 'usage'>; usage: Usage }>()
  for (const agent of chosen(options.agent)) {
    const counted = new Set<string>()
    for (const summary of await scanAgent(agent, place)) {
      if (cwd !== undefined && !isIn(agent, summary, cwd)) continue
      for (const spent of summary.spent.values()) {
        if (counted.has(spent.entity)) continue
        counted.add(spent.entity)
        if (spent.at < (options.since ?? -Infinity) || spent.at >= (options.until ?? Infinity)) continue
        const fields = fieldsOf(options, agent.id, summary.id, summary.cwd, spent)
        const key = by.length === 0 ? '' : JSON.stringify(fields)
        let group = groups.get(key)
        if (!group) groups.set(key, (group = { fields, usage: {} }))
        add(group.usage, spent.usage)
      }
    }
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => ({ ...group.fields, usage: group.usage }))
}

/** In place: there are as many as there were answers. */
function add(total: Usage, usage: Usage): void {
  for (const key in usage) {
    const name = key as keyof Usage
    total[name] = (total[name] ?? 0) + usage[name]!
  }
}

function fieldsOf(
  { by = [], utcOffset = 0 }: UsageOptions,
  agent: string,
  session: string,
  cwd: string | undefined,
  spent: Spent,
): Omit<UsageRow, 'usage'> {
  return {
    ...(by.includes('day')
      ? { day: new Date(spent.at + utcOffset * 60_000).toISOString().slice(0, 10) }
      : {}),
    ...(by.includes('agent') ? { agent } : {}),
    ...(by.includes('model') && spent.model !== undefined ? { model: spent.model } : {}),
    ...(by.includes('project') && cwd !== undefined ? { project: cwd } : {}),
    ...(by.includes('session') ? { session } : {}),
  }
}
