import { type Usage, addUsage } from '@remora/protocol/plain'
import type { UsageEntry, UsageGroup, UsageQuery } from '../ledger.ts'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'
import { type UsageColumns, columnNames, sumColumns, usageOf } from './usage-columns.ts'

interface UsageRow extends UsageColumns {
  readonly day?: number
  readonly agent?: string
  readonly model?: string | null
  readonly project?: string | null
  readonly session?: string
  readonly cost: number | null
  readonly models: string | null
}

type Group = Omit<UsageEntry, 'usage' | 'costUsd'>

/**
 * Sums tokens. The rule: of each session the rows of its lowest rank count, so that scopes and channels are never added;
 * and of a message that several sessions of one agent hold, as forks do, the first session's.
 */
export async function sumUsage(connection: Connection, query: UsageQuery): Promise<UsageEntry[]> {
  const edges = [query.since ?? 0, query.until ?? 0, (query.utcOffset ?? 0) * 60_000]
  if (edges.some((time) => time % slotMs !== 0)) return sum(connection, query, exact)
  const stale = connection.get('SELECT 1 FROM sessions WHERE usage_stale = 1 LIMIT 1') !== undefined
  if (stale) await connection.write(() => makeSlots(connection))
  return sum(connection, query, slots)
}

const slotMs = 15 * 60_000

/** Where rows come from, and when each was. */
interface Rows {
  readonly table: string
  readonly at: string
}

/** Ids of messages are unique for most agents, but not for all: a copy has the same time or the same tokens too. */
const isCopy = `(u.rank = 0 AND EXISTS (
    SELECT 1 FROM usages o WHERE o.rank = 0 AND o.entity = u.entity AND o.session_id < u.session_id
      AND o.agent = u.agent AND (o.at = u.at OR (o.input IS u.input AND o.output IS u.output))))`

const exact: Rows = {
  table: `(SELECT u.* FROM usages u JOIN sessions o ON o.id = u.session_id AND o.usage_rank = u.rank
    WHERE NOT ${isCopy})`,
  at: 'u.at',
}
const slots: Rows = { table: 'usage_slots', at: `u.slot * ${slotMs}` }

function makeSlots(connection: Connection): void {
  const stale = '(SELECT id FROM sessions WHERE usage_stale = 1)'
  connection.statement(`DELETE FROM usage_slots WHERE session_id IN ${stale}`).run()
  connection
    .statement(
      `INSERT INTO usage_slots (session_id, slot, model, ${columnNames}, cost, models)
       SELECT u.session_id, CAST(u.at / ${slotMs} AS INTEGER), u.model, ${sumColumns}, sum(u.cost), u.models
       FROM usages u JOIN sessions s ON s.id = u.session_id AND s.usage_rank = u.rank
       WHERE s.usage_stale = 1 AND NOT ${isCopy}
       GROUP BY 1, 2, u.model, u.models`,
    )
    .run()
  connection.statement('UPDATE sessions SET usage_stale = 0 WHERE usage_stale = 1').run()
}

function sum(connection: Connection, query: UsageQuery, from: Rows): UsageEntry[] {
  const by = new Set(query.by)
  // An id of a session means something only together with its agent.
  if (by.has('session')) by.add('agent')
  const groups = columnsOf(query, from).filter(([group]) => by.has(group))
  // The split of a run is wanted only here, and a row that has one cannot be summed with others.
  const split = by.has('model') ? 'u.models' : 'NULL'
  const conditions = conditionsOf(query, from)
  const rows = connection.all<UsageRow>(
    `SELECT ${groups.map(([group, column]) => `${column} AS ${group}, `).join('')}
       ${sumColumns}, sum(u.cost) AS cost, ${split} AS models
     FROM ${from.table} u JOIN sessions s ON s.id = u.session_id
     ${conditions.where}
     GROUP BY ${[...groups.map(([, column]) => column), split].join()}
     HAVING count(*) > 0`,
    ...conditions.parameters,
  )
  const sums = new Map<string, UsageEntry>()
  for (const row of rows) for (const entry of entriesOf(row)) add(sums, entry)
  return [...sums.values()].sort(compare)
}

function columnsOf({ utcOffset = 0 }: UsageQuery, { at }: Rows): [UsageGroup, string][] {
  const offset = Math.trunc(utcOffset) * 60_000
  return [
    ['day', `CAST((${at} + ${offset}) / 86400000 AS INTEGER)`],
    ['agent', 's.agent'],
    // Some agents tell the model of a session only.
    ['model', 'coalesce(u.model, s.model)'],
    ['project', 's.cwd'],
    ['session', 's.session'],
  ]
}

function conditionsOf(query: UsageQuery, { at }: Rows): Conditions {
  const conditions = new Conditions()
  conditions.addIf(query.agent, 's.agent = ?')
  conditions.addFolder(query.cwd, 's.cwd')
  conditions.addIf(query.since, `${at} >= ?`)
  conditions.addIf(query.until, `${at} < ?`)
  return conditions
}

/** One entry, or one for each model of a run that tells them apart. */
function entriesOf(row: UsageRow): UsageEntry[] {
  const group: Group = {
    ...(row.day === undefined ? {} : { day: new Date(row.day * 86_400_000).toISOString().slice(0, 10) }),
    ...(row.agent === undefined ? {} : { agent: row.agent }),
    ...(typeof row.model === 'string' ? { model: row.model } : {}),
    ...(typeof row.project === 'string' ? { project: row.project } : {}),
    ...(row.session === undefined ? {} : { session: row.session }),
  }
  const cost = row.cost === null ? {} : { costUsd: row.cost }
  if (row.models === null) return [{ ...group, usage: usageOf(row), ...cost }]
  const models = Object.entries(JSON.parse(row.models) as Record<string, Usage>)
  if (models.length === 1) return models.map(([model, usage]) => ({ ...group, model, usage, ...cost }))
  // Nobody told what each of them cost.
  const rest = row.cost === null ? [] : [{ ...group, usage: {}, ...cost }]
  return [...models.map(([model, usage]) => ({ ...group, model, usage })), ...rest]
}

function add(sums: Map<string, UsageEntry>, entry: UsageEntry): void {
  const { usage, costUsd, ...group } = entry
  const id = JSON.stringify(group)
  const sum = sums.get(id)
  if (!sum) {
    sums.set(id, entry)
    return
  }
  const cost =
    sum.costUsd === undefined && costUsd === undefined ? {} : { costUsd: (sum.costUsd ?? 0) + (costUsd ?? 0) }
  sums.set(id, { ...sum, usage: addUsage(sum.usage, usage), ...cost })
}

/** By day, and within one the largest first. */
function compare(left: UsageEntry, right: UsageEntry): number {
  return (left.day ?? '').localeCompare(right.day ?? '') || weight(right) - weight(left)
}

function weight({ usage }: UsageEntry): number {
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) || (usage.totalTokens ?? 0)
}
