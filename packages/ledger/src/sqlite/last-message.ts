import type { SessionEntry } from '../model/ledger.ts'
import type { Connection } from './connection.ts'
import { decodeBody } from '../rows/event-row.ts'
import { scannedEvents, toPreview, getMessageText } from '../rows/last-message.ts'
import type { RawReader, TextRow } from '../rows/text-row.ts'
import { joinPieces } from './pieces.ts'
import { createRawReader } from './read.ts'

type Last = NonNullable<SessionEntry['last']>
type MessageRow = TextRow & { readonly at: number }

/** Reads the last message of each session, from the user or the agent, with known secrets masked. */
export function readLastMessages(connection: Connection, ids: readonly number[]): Map<number, Last> {
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
