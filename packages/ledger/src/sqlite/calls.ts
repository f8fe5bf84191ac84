import { channels } from '@remora/protocol/plain'
import type { CallCount, CallCountsQuery, CallEntry, CallGroup, CallsQuery } from '../ledger.ts'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'
import { gatherCalls } from './gather-calls.ts'

interface CallRow {
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
  readonly failed: number
  readonly error: string | null
  readonly turn: number
  readonly parent: string | null
  readonly record: string | null
}

// Only the best channel's prompts count: the others tell the same ones.
const turn = `(SELECT count(*) FROM prompts p WHERE p.session_id = c.session_id AND p.at <= c.at
  AND p.channel = (SELECT min(channel) FROM prompts WHERE session_id = c.session_id))`

// The text of a record stands in the first of its events.
const record = `(SELECT coalesce(e.raw, f.raw) FROM events e LEFT JOIN events f ON f.seq = e.record
  WHERE e.seq = coalesce(c.ended_by, c.told_by))`

/** Every call that was asked for, after the events since the last time were taken in. */
export async function listCalls(connection: Connection, query: CallsQuery): Promise<CallEntry[]> {
  await gatherCalls(connection)
  const conditions = conditionsOf(query)
  const rows = connection.all<CallRow>(
    `SELECT c.id, s.agent, s.session, c.entity, c.channel, c.tool, c.native, c.input, s.cwd, c.at, c.ended_at, c.status,
       c.failed, c.error, c.parent, ${turn} AS turn, ${query.records ? record : 'NULL'} AS record
     FROM calls c JOIN sessions s ON s.id = c.session_id
     ${conditions.where} ORDER BY c.at DESC, c.id DESC LIMIT ?`,
    ...conditions.parameters,
    query.limit ?? -1,
  )
  return rows.map(entryOf).reverse()
}

/** How many there are, by group: the most failures first, or by day. */
export async function countCalls(connection: Connection, query: CallCountsQuery): Promise<CallCount[]> {
  await gatherCalls(connection)
  const by = new Set(query.by)
  // An id of a session means something only together with its agent.
  if (by.has('session')) by.add('agent')
  const offset = Math.trunc(query.utcOffset ?? 0) * 60_000
  const columns: readonly [CallGroup, string][] = [
    ['day', `date((c.at + ${offset}) / 1000, 'unixepoch')`],
    ['agent', 's.agent'],
    ['tool', 'c.tool'],
    ['project', 's.cwd'],
    ['session', 's.session'],
  ]
  const groups = columns.filter(([group]) => by.has(group))
  const conditions = conditionsOf(query)
  const rows = connection.all<Record<string, string | number | null>>(
    `SELECT ${groups.map(([group, column]) => `${column} AS ${group}, `).join('')}
       count(*) AS calls, sum(c.failed) AS failed
     FROM calls c JOIN sessions s ON s.id = c.session_id ${conditions.where}
     ${groups.length === 0 ? '' : `GROUP BY ${groups.map((_, index) => index + 1).join()}`}
     HAVING count(*) > 0
     ORDER BY ${by.has('day') ? 'day, ' : ''}failed DESC, calls DESC`,
    ...conditions.parameters,
  )
  return rows.map(
    (row) =>
      Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as CallCount,
  )
}

function conditionsOf(query: CallsQuery): Conditions {
  const conditions = new Conditions()
  conditions.addIf(query.agent, 's.agent = ?')
  conditions.addIf(query.session?.agent, 's.agent = ?')
  conditions.addIf(query.session?.session, 's.session = ?')
  conditions.addFolder(query.cwd, 's.cwd')
  conditions.addIf(query.since, 'c.at >= ?')
  conditions.addIf(query.until, 'c.at < ?')
  conditions.addIf(query.tool, '(c.tool = ? COLLATE NOCASE OR c.native = ? COLLATE NOCASE)', 2)
  if (query.failed !== undefined) conditions.add(query.failed ? 'c.failed = 1' : 'c.failed = 0')
  return conditions
}

function entryOf(row: CallRow): CallEntry {
  return {
    id: row.id,
    agent: row.agent,
    session: row.session,
    entity: row.entity,
    channel: channels[row.channel]!,
    tool: row.tool,
    native: row.native,
    input: JSON.parse(row.input) as unknown,
    ...(row.cwd === null ? {} : { cwd: row.cwd }),
    at: row.at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    status: row.status as CallEntry['status'],
    failed: row.failed === 1,
    ...(row.error === null ? {} : { error: row.error }),
    turn: row.turn,
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(row.record === null ? {} : { record: parsed(row.record) }),
  }
}

/** A record that is no JSON is what it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
