import type { UsageEntry, UsageQuery } from '@remora/ledger'
import {
  type UsageRow,
  type UsageTable,
  columnNames,
  sumColumns,
  toUsageEntries,
  buildUsageSql,
} from '@remora/ledger/internal'
import { Conditions } from './conditions.ts'
import type { Connection, Queries } from './connection.ts'
import { toDaySql } from './clock.ts'

/**
 * Sums tokens. Only the rows of a session's lowest rank count, so scopes and channels are never added. A message that
 * forks share counts for the first session only.
 */
export async function sumUsage(connection: Connection, query: UsageQuery): Promise<UsageEntry[]> {
  const edges = [query.since ?? 0, query.until ?? 0, (query.utcOffset ?? 0) * 60_000]
  if (edges.some((time) => time % slotMs !== 0)) return sum(connection, query, exact)
  await updateSlots(connection)
  return sum(connection, query, slots)
}

const slotMs = 15 * 60_000

/** Sessions per transaction. */
const atOnce = 500

/** Some agents reuse message ids, so a copy must also have the same time or the same tokens. */
const isCopy = `(u.rank = 0 AND EXISTS (
    SELECT 1 FROM usages o WHERE o.rank = 0 AND o.entity = u.entity AND o.session_id < u.session_id
      AND o.agent = u.agent AND (o.at = u.at
        OR (o.input IS NOT DISTINCT FROM u.input AND o.output IS NOT DISTINCT FROM u.output))))`

const exact: UsageTable = {
  table: `(SELECT u.* FROM usages u JOIN sessions o ON o.id = u.session_id AND o.usage_rank = u.rank
    WHERE NOT ${isCopy})`,
  at: 'u.at',
  day: toDaySql,
}
const slots: UsageTable = { table: 'usage_slots', at: `u.slot * ${slotMs}`, day: toDaySql }

async function updateSlots(connection: Connection): Promise<void> {
  // Usually nothing is stale, which needs no transaction to see.
  const stale = await connection.get('SELECT 1 FROM sessions WHERE usage_stale LIMIT 1')
  if (!stale) return
  for (let after = 0, full = true; full;) {
    const ids = await connection.write((queries) => updateSlotBatch(queries, after), { notify: false })
    full = ids.length === atOnce
    after = ids.at(-1) ?? after
  }
}

/**
 * Updates the slots of some stale sessions. A concurrent writer is not blocked, and its session stays stale: the xmin
 * of its row has changed.
 */
async function updateSlotBatch(queries: Queries, after: number): Promise<number[]> {
  // One process at a time.
  await queries.run(`SELECT pg_advisory_xact_lock(hashtext('remora usage slots ' || current_schema()))`)
  const sessions = await queries.all<{ id: number; version: string }>(
    `SELECT id, xmin::text AS version FROM sessions WHERE usage_stale AND id > $1 ORDER BY id LIMIT ${atOnce}`,
    after,
  )
  const ids = sessions.map(({ id }) => id)
  if (ids.length === 0) return ids
  await queries.run('DELETE FROM usage_slots WHERE session_id = ANY($1::bigint[])', ids)
  await queries.run(
    `INSERT INTO usage_slots (session_id, slot, model, ${columnNames}, cost, models)
     SELECT u.session_id, floor(u.at / ${slotMs})::bigint, u.model, ${sumColumns}, sum(u.cost), u.models
     FROM usages u JOIN sessions s ON s.id = u.session_id AND s.usage_rank = u.rank
     WHERE s.id = ANY($1::bigint[]) AND NOT ${isCopy}
     GROUP BY 1, 2, u.model, u.models`,
    ids,
  )
  await queries.run(
    `UPDATE sessions SET usage_stale = FALSE WHERE id IN (
       SELECT s.id FROM sessions s JOIN unnest($1::bigint[], $2::text[]) k (id, version) ON k.id = s.id
       WHERE s.xmin::text = k.version FOR UPDATE OF s SKIP LOCKED
     )`,
    ids,
    sessions.map(({ version }) => version),
  )
  return ids
}

async function sum(connection: Connection, query: UsageQuery, from: UsageTable): Promise<UsageEntry[]> {
  const conditions = buildConditions(query, from)
  const sql = buildUsageSql(query, from, conditions.where)
  return toUsageEntries(await connection.all<UsageRow>(sql, ...conditions.parameters))
}

function buildConditions(query: UsageQuery, { at }: UsageTable): Conditions {
  const conditions = new Conditions()
  conditions.addIf(query.agent, 's.agent = ?')
  conditions.addFolder(query.cwd, 's.cwd')
  conditions.addIf(query.since, `${at} >= ?::double precision`)
  conditions.addIf(query.until, `${at} < ?::double precision`)
  return conditions
}
