import type { SessionEntry, SessionKey, SessionNotes, SessionsQuery } from '@remora/ledger'
import { type SessionRow, columnNames, toSessionEntry, sumColumns } from '@remora/ledger/internal'
import { Conditions } from './conditions.ts'
import type { Connection } from './connection.ts'
import { hashSession } from './hash.ts'

const columns = `id, agent, session, title, first_prompt, model, cwd, version, node, message_counts, started_at, updated_at,
  archived_at, name, pinned, hidden`

/** Lists sessions with their token sums, latest first. */
export async function listSessions(connection: Connection, query: SessionsQuery): Promise<SessionEntry[]> {
  const conditions = new Conditions()
  conditions.addIf(query.agent, 'agent = ?')
  conditions.addIf(query.node, 'node = ?')
  conditions.addFolder(query.cwd, 'cwd')
  conditions.addIf(query.since, 'updated_at >= ?')
  conditions.addIf(query.idPrefix, 'starts_with(session, ?)')
  conditions.addIf(query.until, 'updated_at <= ?')
  if (!query.hidden) conditions.add('NOT hidden')
  if (query.pinned) conditions.add('pinned')
  if (!query.empty) conditions.add(`message_counts <> '[0,0,0,0,0]'`)
  return select(connection, conditions, query.limit, query.last)
}

export async function findSession(
  connection: Connection,
  key: SessionKey,
): Promise<SessionEntry | undefined> {
  const conditions = new Conditions()
  conditions.add('key = ?', hashSession(key))
  return (await select(connection, conditions))[0]
}

async function select(
  connection: Connection,
  conditions: Conditions,
  limit?: number,
  withLast = false,
): Promise<SessionEntry[]> {
  // A negative limit means all, as in SQLite.
  const most = limit === undefined || limit < 0 ? null : limit
  const rows = await connection.all<SessionRow>(
    `SELECT s.*, ${columnNames.replace(/\w+/g, 'u.$&')}
     FROM (
       SELECT ${columns}, usage_rank FROM sessions ${conditions.where}
       ORDER BY updated_at DESC, id DESC LIMIT ${conditions.place(most)}::bigint
     ) s
     LEFT JOIN LATERAL (
       SELECT ${sumColumns} FROM usages u WHERE u.session_id = s.id AND u.rank = s.usage_rank
     ) u ON TRUE
     ORDER BY s.updated_at DESC, s.id DESC`,
    ...conditions.parameters,
  )
  const words = withLast ? await readLast(connection, rows) : undefined
  return rows.map((row) => {
    const last = words?.get(row.id)
    return { ...toSessionEntry(row), ...(last ? { last } : {}) }
  })
}

async function readLast(connection: Connection, rows: readonly SessionRow[]) {
  const { readLastMessages } = await import('./last-message.ts')
  return readLastMessages(
    connection,
    rows.map(({ id }) => id),
  )
}

/** Returns whether the session exists. */
export async function annotateSession(
  connection: Connection,
  key: SessionKey,
  notes: SessionNotes,
): Promise<boolean> {
  const changes = await connection.write((queries) =>
    queries.run(
      `UPDATE sessions SET
         name = CASE WHEN $2 THEN $3 ELSE name END,
         pinned = coalesce($4, pinned),
         hidden = coalesce($5, hidden)
       WHERE key = $1`,
      hashSession(key),
      notes.name !== undefined,
      notes.name === '' ? null : (notes.name ?? null),
      notes.pinned ?? null,
      notes.hidden ?? null,
    ),
  )
  return changes === 1
}

/** A session that is archived already keeps its time. */
export async function archiveSessions(
  connection: Connection,
  keys: readonly SessionKey[],
  at: number | null,
): Promise<void> {
  const hashes = keys.map(hashSession).sort()
  await connection.write((queries) =>
    queries.run(
      `UPDATE sessions SET archived_at = $2
       WHERE id IN (SELECT id FROM sessions WHERE key = ANY($1::uuid[]) ORDER BY key FOR UPDATE)
         AND ($2::double precision IS NULL OR archived_at IS NULL)`,
      hashes,
      at,
    ),
  )
}
