import type { SessionEntry } from '../ledger.ts'
import type { Connection } from './connection.ts'
import { decodeBody } from '../rows/encode.ts'
import { lookedThrough as looked, shownWords, wordsIn } from '../rows/last-words.ts'
import type { RawTexts, TextRow } from '../rows/text-row.ts'
import { joinPieces } from './pieces.ts'
import { rawReader } from './read.ts'

type Last = NonNullable<SessionEntry['last']>
type WordsRow = TextRow & { readonly at: number }

/** What was said last in each of these sessions, by a person or by the agent; secrets of known shape are masked. */
export function lastWords(connection: Connection, ids: readonly number[]): Map<number, Last> {
  return connection.read(() => {
    const rows = connection
      .statement<WordsRow>(
        `SELECT e.session_id, e.seq, e.type, e.entity, e.at, e.record, e.body,
           CASE WHEN substr(e.body, 1, 1) = '[' THEN e.raw END AS raw
         FROM json_each(?) s CROSS JOIN events e ON e.seq = (
           SELECT seq FROM events WHERE session_id = s.value AND parent IS NULL
             AND seq >= coalesce(
               (SELECT seq FROM events WHERE session_id = s.value ORDER BY seq DESC LIMIT 1 OFFSET ${looked}), 0
             )
             AND (type = 'text' OR type = 'message' AND ${field('role')} = 'user' AND ${field('context')} IS NULL)
           ORDER BY seq DESC LIMIT 1
         )`,
      )
      .all(JSON.stringify(ids))
    const rawOf = rawReader(connection)
    const found = new Map<number, Last>()
    for (const row of rows) {
      const text = wordsOf(connection, row, rawOf)
      if (text !== '')
        found.set(row.session_id, { role: row.type === 'text' ? 'assistant' : 'user', text, at: row.at })
    }
    return found
  })
}

/** The body is the fields, or the fields and the places of long strings. */
function field(name: string): string {
  return `json_extract(body, iif(substr(body, 1, 1) = '[', '$[0].${name}', '$.${name}'))`
}

function wordsOf(connection: Connection, row: WordsRow, rawOf: RawTexts): string {
  if (row.raw !== null) rawOf.known(row.seq, row.raw)
  const text =
    wordsIn(decodeBody(row, rawOf)) ??
    joinPieces(connection, row, firstLooked(connection, row), row.seq, rawOf)
  return shownWords(text)
}

function firstLooked(connection: Connection, { session_id: session, seq }: WordsRow): number {
  return connection
    .statement<{ first: number }>(
      `SELECT min(seq) AS first FROM (
         SELECT seq FROM events WHERE session_id = ? AND seq <= ? ORDER BY seq DESC LIMIT ${looked}
       )`,
    )
    .get(session, seq)!.first
}
