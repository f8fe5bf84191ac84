import type { UsageEntry, UsageQuery } from '../model/ledger.ts'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'
import {
  buildUsageSql,
  columnNames,
  sumColumns,
  toUsageEntries,
  type UsageRow,
  type UsageTable,
} from '../rows/usage.ts'

/**
 * Sums tokens. Only the rows of a session's lowest rank count, so scopes and channels are never added. A message that
 * forks share counts for the first session only.
 */
export async function sumUsage(connection: Connection, query: UsageQuery): Promise<UsageEntry[]> {
  const edges = [query.since ?? 0, query.until ?? 0, (query.utcOffset ?? 0) * 60_000]
  if (edges.some((time) => time % slotMs !== 0)) return sum(connection, query, exact)
  const stale = connection.get('SELECT 1 FROM sessions WHERE usage_stale = 1 LIMIT 1') !== undefined
  if (stale) await connection.write(() => updateSlots(connection))
  return sum(connection, query, slots)
}

const slotMs = 15 * 60_000

/** Some agents reuse message ids, so a copy must also have the same time or the same tokens. */
const isCopy = `(u.rank = 0 AND EXISTS (
    SELECT 1 FROM usages o WHERE o.rank = 0 AND o.entity = u.entity AND o.session_id < u.session_id
      AND o.agent = u.agent AND (o.at = u.at OR (o.input IS u.input AND o.output IS u.output))))`

const day = (moment: string): string => `CAST(${moment} / 86400000 AS INTEGER)`

const exact: UsageTable = {
  table: `(SELECT u.* FROM usages u JOIN sessions o ON o.id = u.session_id AND o.usage_rank = u.rank
    WHERE NOT ${isCopy})`,
  at: 'u.at',
  day,
}
const slots: UsageTable = { table: 'usage_slots', at: `u.slot * ${slotMs}`, day }

function updateSlots(connection: Connection): void {
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

function sum(connection: Connection, query: UsageQuery, from: UsageTable): UsageEntry[] {
  const conditions = buildConditions(query, from)
  const sql = buildUsageSql(query, from, conditions.where)
  return toUsageEntries(connection.all<UsageRow>(sql, ...conditions.parameters))
}

function buildConditions(query: UsageQuery, { at }: UsageTable): Conditions {
  const conditions = new Conditions()
  conditions.addIf(query.agent, 's.agent = ?')
  conditions.addFolder(query.cwd, 's.cwd')
  conditions.addIf(query.since, `${at} >= ?`)
  conditions.addIf(query.until, `${at} < ?`)
  return conditions
}
