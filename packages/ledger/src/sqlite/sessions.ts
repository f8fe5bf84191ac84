import type { SqliteValue } from '@remora/sqlite'
import type { SessionEntry, SessionKey, SessionNotes, SessionsQuery } from '../model/ledger.ts'
import type { Connection } from './connection.ts'
import { Conditions } from './conditions.ts'
import { type SessionRow, toSessionEntry } from '../rows/session-entry.ts'
import { sumColumns } from '../rows/usage.ts'
import { decodeBody } from '../rows/event-row.ts'
import { getMessageText, scannedEvents, toPreview } from '../rows/last-message.ts'
import type { RawReader, TextRow } from '../rows/text-row.ts'
import { joinPieces } from './pieces.ts'
import { createRawReader } from './read.ts'

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

type Last = NonNullable<SessionEntry['last']>
type MessageRow = TextRow & { readonly at: number }

/** Reads the last message of each session, from the user or the agent, with known secrets masked. */
function readLastMessages(connection: Connection, ids: readonly number[]): Map<number, Last> {
  return connection.read(() => {
    const rows = connection
      .statement<MessageRow>(
        `SELECT e.session_id, e.seq, e.type, e.entity, e.at, e.record, e.body,
           CASE WHEN substr(e.body, 1, 1) = '[' THEN e.raw END AS raw
         FROM json_each(?) s CROSS JOIN events e ON e.seq = (
           SELECT seq FROM events WHERE session_id = s.value AND parent IS NULL
             AND seq >= coalesce(
               (SELECT seq FROM events WHERE session_id = s.value ORDER BY seq DESC LIMIT 1 OFFSET ${scannedEvents}), 0
             )
             AND (type = 'text' OR type = 'message' AND ${buildFieldSql('role')} = 'user' AND ${buildFieldSql('context')} IS NULL)
           ORDER BY seq DESC LIMIT 1
         )`,
      )
      .all(JSON.stringify(ids))
    const getRaw = createRawReader(connection)
    const found = new Map<number, Last>()
    for (const row of rows) {
      const text = readPreview(connection, row, getRaw)
      if (text !== '')
        found.set(row.session_id, { role: row.type === 'text' ? 'assistant' : 'user', text, at: row.at })
    }
    return found
  })
}

/** The body is an object of fields, or an array of it and the positions of long strings. */
function buildFieldSql(name: string): string {
  return `json_extract(body, iif(substr(body, 1, 1) = '[', '$[0].${name}', '$.${name}'))`
}

function readPreview(connection: Connection, row: MessageRow, getRaw: RawReader): string {
  if (row.raw !== null) getRaw.cache(row.seq, row.raw)
  const text =
    getMessageText(decodeBody(row, getRaw)) ??
    joinPieces(connection, row, findFirstScanned(connection, row), row.seq, getRaw)
  return toPreview(text)
}

function findFirstScanned(connection: Connection, { session_id: session, seq }: MessageRow): number {
  return connection
    .statement<{ first: number }>(
      `SELECT min(seq) AS first FROM (
         SELECT seq FROM events WHERE session_id = ? AND seq <= ? ORDER BY seq DESC LIMIT ${scannedEvents}
       )`,
    )
    .get(session, seq)!.first
}
