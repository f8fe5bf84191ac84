import { channels, limitDepth, parseJson } from '@remora/protocol/plain'
import type { CallCountsQuery, CallEntry, CallGroup, CallsQuery } from '../model/ledger.ts'

/** A call as a database returns it. */
export interface CallRow {
  readonly id: number
  readonly agent: string
  readonly session: string
  readonly entity: string
  readonly channel: number
  readonly tool: string
  readonly native: string
  readonly input: string
  readonly cwd: string | null
  readonly at: number
  readonly ended_at: number | null
  readonly status: string
  readonly failed: number | boolean
  readonly error: string | null
  readonly turn: number
  readonly parent: string | null
  readonly record: string | null
}

export function toCallEntry(row: CallRow): CallEntry {
  return {
    id: row.id,
    agent: row.agent,
    session: row.session,
    entity: row.entity,
    channel: channels[row.channel]!,
    tool: row.tool,
    native: row.native,
    input: limitDepth(JSON.parse(row.input) as unknown),
    ...(row.cwd === null ? {} : { cwd: row.cwd }),
    at: row.at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    status: row.status as CallEntry['status'],
    failed: Boolean(row.failed),
    ...(row.error === null ? {} : { error: row.error }),
    turn: row.turn,
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(row.record === null ? {} : { record: parseRecord(row.record) }),
  }
}

/** A record that is not JSON stays text. */
function parseRecord(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

// Only the prompts of the best channel count; the other channels repeat them.
const turn = `(SELECT count(*) FROM prompts p WHERE p.session_id = c.session_id AND p.at <= c.at
  AND p.channel = (SELECT min(channel) FROM prompts WHERE session_id = c.session_id))`

// Only the first event of a record has its text. `record` points to that event only where a later one shares its text;
// otherwise it is the closest earlier event with the same key up to the number after the last dot.
const record = `(SELECT coalesce(e.raw, (SELECT f.raw FROM events f WHERE f.seq = e.record),
    (SELECT f.raw FROM events f
      WHERE f.seq BETWEEN e.seq - 100 AND e.seq - 1 AND f.source_id = e.source_id AND f.digest = e.digest
        AND f.raw IS NOT NULL AND rtrim(f.key, '0123456789') = rtrim(e.key, '0123456789')
      ORDER BY f.seq DESC LIMIT 1))
  FROM events e WHERE e.seq = coalesce(c.ended_by, c.told_by))`

/** SQL for calls that match the conditions, latest first. */
export function buildCallsSql({ records }: CallsQuery, where: string): string {
  return `SELECT c.id, s.agent, s.session, c.entity, c.channel, c.tool, c.native, c.input, s.cwd, c.at, c.ended_at,
      c.status, c.failed, c.error, c.parent, ${turn} AS turn, ${records ? record : 'NULL'} AS record
    FROM calls c JOIN sessions s ON s.id = c.session_id
    ${where} ORDER BY c.at DESC, c.id DESC`
}

/** SQL for the number of calls by group. Engines differ in how they write a day and count failures. */
export function buildCallCountsSql(
  query: CallCountsQuery,
  where: string,
  { day, failed }: { day(moment: string): string; readonly failed: string },
): string {
  const by = new Set(query.by)
  // A session id is unique only within its agent.
  if (by.has('session')) by.add('agent')
  const offset = Math.trunc(query.utcOffset ?? 0) * 60_000
  const columns: readonly [CallGroup, string][] = [
    ['day', day(`(c.at + ${offset})`)],
    ['agent', 's.agent'],
    ['tool', 'c.tool'],
    ['project', 's.cwd'],
    ['session', 's.session'],
  ]
  const groups = columns.filter(([group]) => by.has(group))
  return `SELECT ${groups.map(([group, column]) => `${column} AS ${group}, `).join('')}
      count(*) AS calls, ${failed} AS failed
    FROM calls c JOIN sessions s ON s.id = c.session_id ${where}
    ${groups.length === 0 ? '' : `GROUP BY ${groups.map((_, index) => index + 1).join()}`}
    HAVING count(*) > 0
    ORDER BY ${by.has('day') ? 'day, ' : ''}failed DESC, calls DESC`
}

/** Removes empty columns of a count. */
export function toCallCount(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined))
}
