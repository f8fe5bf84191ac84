import type { SqliteValue } from '@remora/sqlite'
import type { SessionEntry, SessionKey, SessionNotes, SessionsQuery } from '../model/ledger.ts'
import type { Connection } from './connection.ts'
import { Conditions } from './conditions.ts'
import { readLastMessages } from './last-message.ts'
import { type SessionRow, toSessionEntry } from '../rows/session-entry.ts'
import { sumColumns } from '../rows/usage-columns.ts'

/** Lists sessions with their token sums, latest first. */
export function listSessions(connection: Connection, query: SessionsQuery): SessionEntry[] {
  const conditions = new Conditions()
  conditions.addIf(query.agent, 'agent = ?')
  conditions.addIf(query.node, 'node = ?')
  conditions.addFolder(query.cwd, 'cwd')
  conditions.addIf(query.since, 'updated_at >= ?')
  conditions.addIf(query.idPrefix, 'substr(session, 1, length(?)) = ?', 2)
  conditions.addIf(query.until, 'updated_at <= ?')
  if (!query.hidden) conditions.add('hidden = 0')
  if (query.pinned) conditions.add('pinned = 1')
  if (!query.empty) conditions.add(`message_counts <> '[0,0,0,0,0]'`)
  return select(connection, conditions, query.limit ?? -1, query.last)
}

export function findSession(connection: Connection, key: SessionKey): SessionEntry | undefined {
  const conditions = new Conditions()
  conditions.add('agent = ? AND session = ?', key.agent, key.session)
  return select(connection, conditions, 1)[0]
}

function select(
  connection: Connection,
  conditions: Conditions,
  limit: number,
  withLast = false,
): SessionEntry[] {
  const rows = connection.all<SessionRow>(
    `SELECT s.*, ${sumColumns}
     FROM (SELECT * FROM sessions ${conditions.where} ORDER BY updated_at DESC, id DESC LIMIT ?) s
     LEFT JOIN usages u ON u.session_id = s.id AND u.rank = s.usage_rank
     GROUP BY s.id ORDER BY s.updated_at DESC, s.id DESC`,
    ...conditions.parameters,
    limit,
  )
  const words = withLast
    ? readLastMessages(
        connection,
        rows.map(({ id }) => id),
      )
    : undefined
  return rows.map((row) => {
    const last = words?.get(row.id)
    return { ...toSessionEntry(row), ...(last ? { last } : {}) }
  })
}

/** Runs inside a transaction. */
export function annotateSession(connection: Connection, key: SessionKey, notes: SessionNotes): boolean {
  const set = (column: 'name' | 'pinned' | 'hidden', value: SqliteValue): number =>
    connection
      .statement(`UPDATE sessions SET ${column} = ? WHERE agent = ? AND session = ?`)
      .run(value, key.agent, key.session).changes
  if (notes.name !== undefined) set('name', notes.name === '' ? null : notes.name)
  if (notes.pinned !== undefined) set('pinned', Number(notes.pinned))
  if (notes.hidden !== undefined) set('hidden', Number(notes.hidden))
  const found = connection.statement('SELECT 1 FROM sessions WHERE agent = ? AND session = ?')
  return found.get(key.agent, key.session) !== undefined
}

/** Runs inside a transaction. A session that is archived already keeps its time. */
export function archiveSessions(
  connection: Connection,
  keys: readonly SessionKey[],
  at: number | null,
): void {
  const statement = connection.statement(
    at === null
      ? 'UPDATE sessions SET archived_at = ? WHERE agent = ? AND session = ?'
      : 'UPDATE sessions SET archived_at = ? WHERE agent = ? AND session = ? AND archived_at IS NULL',
  )
  for (const { agent, session } of keys) statement.run(at, agent, session)
}
