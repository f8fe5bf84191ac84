import {
  getCountedMessage,
  getRank,
  summarize,
  getUsageRank,
  toUsageValues,
  summaryColumns,
  toSummaryValues,
} from '@remora/ledger/internal'
import type { Item } from './items.ts'
import type { TransactionEnd, Queries } from './connection.ts'
import { hashKey } from './hash.ts'
import type { OpenSession } from './lock-sessions.ts'
import type { SourceRefs } from './source-cache.ts'

type Statements = TransactionEnd<unknown>['statements']

export interface MessageCount {
  readonly session_id: number
  readonly channel: number
  readonly count: number
}

/** Counts messages that are new. Messages of stored events are stored as well, so repeated events do not matter. */
export async function countMessages(
  queries: Queries,
  items: readonly Item[],
  refs: SourceRefs,
): Promise<MessageCount[]> {
  const messages = new Map<string, readonly [session: number, rank: number, entity: string]>()
  for (const item of items) {
    const message = getCountedMessage(item.event)
    if (message === undefined) continue
    const [session, rank] = [refs.get(item)!.session, getRank(item.event)]
    const id = `${session} ${rank} ${message}`
    if (!messages.has(id)) messages.set(id, [session, rank, hashKey(message)])
  }
  if (messages.size === 0) return []
  const rows = [...messages.values()]
  return queries.all<MessageCount>(
    `WITH reported AS (
       INSERT INTO messages (session_id, channel, entity)
       SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::uuid[])
       ON CONFLICT DO NOTHING RETURNING session_id, channel
     ) SELECT session_id, channel, count(*) AS count FROM reported GROUP BY session_id, channel`,
    rows.map(([session]) => session),
    rows.map(([, rank]) => rank),
    rows.map(([, , entity]) => entity),
  )
}

/** Updates the summaries of sessions from new events. Returns the rows of their usage. */
export function summarizeSessions(
  items: readonly Item[],
  sessions: ReadonlyMap<string, OpenSession>,
): readonly (readonly unknown[])[] {
  /** Agents repeat the tokens of a message with each of its blocks; the last report wins. */
  const usages = new Map<string, readonly unknown[]>()
  for (const { event, session: key } of items) {
    const session = sessions.get(key)!
    session.changed = true
    summarize(session, event)
    if (event.type === 'usage') {
      session.usageChanged = true
      const rank = getUsageRank(event)
      usages.set(`${session.id} ${rank} ${event.entity}`, [
        session.id,
        rank,
        hashKey(event.entity),
        ...toUsageValues(event),
      ])
    }
  }
  return [...usages.values()]
}

/** The statements for everything that new events change besides themselves. */
export function buildUpdates(
  items: readonly Item[],
  sessions: ReadonlyMap<string, OpenSession>,
  counts: readonly MessageCount[],
): Statements {
  const usages = summarizeSessions(items, sessions)
  const byId = new Map([...sessions.values()].map((session) => [session.id, session]))
  for (const { session_id: id, channel, count } of counts) byId.get(id)!.counts[channel]! += count
  return [...buildUsageUpdates(usages), ...buildSessionUpdates([...sessions.values()])]
}

/** The columns of usages, in order. */
export const usageColumns = [
  ['session_id', 'bigint'],
  ['rank', 'smallint'],
  ['entity', 'uuid'],
  ['agent', 'text'],
  ['at', 'double precision'],
  ['model', 'text'],
  ...['input', 'output', 'total', 'cached', 'cache_write', 'thought', 'tool', 'cost'].map(
    (name) => [name, 'double precision'] as const,
  ),
  ['models', 'text'],
] as const

const usageSql = `INSERT INTO usages (${usageColumns.map(([name]) => name).join()})
  SELECT * FROM unnest(${usageColumns.map(([, type], index) => `$${index + 1}::${type}[]`).join()})
  ON CONFLICT (session_id, rank, entity) DO UPDATE
    SET ${usageColumns
      .slice(3)
      .map(([name]) => `${name} = excluded.${name}`)
      .join()}`

function buildUsageUpdates(rows: readonly (readonly unknown[])[]): Statements {
  return rows.length === 0
    ? []
    : [[usageSql, ...usageColumns.map((_, index) => rows.map((row) => row[index]))]]
}

const summaryTypes: Readonly<Record<(typeof summaryColumns)[number], string>> = {
  title: 'text',
  first_prompt: 'text',
  first_prompt_at: 'double precision',
  model: 'text',
  cwd: 'text',
  version: 'text',
  told_by: 'smallint',
  message_counts: 'text',
  usage_rank: 'smallint',
  started_at: 'double precision',
  updated_at: 'double precision',
}

/** The columns of a session that an append writes, in order, with their types. */
export const sessionColumns = summaryColumns.map((name) => [name, summaryTypes[name]] as const)

const sessionSql = `UPDATE sessions s SET revision = s.revision + 1, usage_stale = s.usage_stale OR t.spent,
    ${sessionColumns.map(([name]) => `${name} = t.${name}`).join()}
  FROM unnest($1::bigint[], $2::boolean[],
    ${sessionColumns.map(([, type], index) => `$${index + 3}::${type}[]`).join()}
  ) AS t (id, spent, ${sessionColumns.map(([name]) => name).join()})
  WHERE s.id = t.id`

function buildSessionUpdates(sessions: readonly OpenSession[]): Statements {
  const changed = sessions.filter((session) => session.changed)
  if (changed.length === 0) return []
  const rows = changed.map(toSummaryValues)
  return [
    [
      sessionSql,
      changed.map(({ id }) => id),
      changed.map(({ usageChanged }) => usageChanged),
      ...sessionColumns.map((_, index) => rows.map((row) => row[index])),
    ],
  ]
}
