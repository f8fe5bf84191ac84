import type { SessionEntry } from '@remora/ledger'
import { type TextRow, decodeBody, lookedThrough, shownWords, wordsIn } from '@remora/ledger/engine'
import type { Queries } from './connection.ts'
import { joinPieces, rawTexts } from './pieces.ts'

type Last = NonNullable<SessionEntry['last']>
type WordsRow = TextRow & { readonly at: number; readonly first: number }

/** What was said last in each of these sessions, by a person or by the agent; secrets of known shape are masked. */
export async function lastWords(queries: Queries, ids: readonly number[]): Promise<Map<number, Last>> {
  const found = new Map<number, Last>()
  if (ids.length === 0) return found
  const rows = await queries.all<WordsRow>(
    `SELECT e.session_id, e.seq, e.type, e.entity, e.at, e.record, e.body, b.first,
       CASE WHEN left(e.body, 1) = '[' THEN e.raw END AS raw
     FROM unnest($1::bigint[]) s (id)
     CROSS JOIN LATERAL (
       SELECT min(seq) AS first FROM (
         SELECT seq FROM events WHERE session_id = s.id ORDER BY seq DESC LIMIT ${lookedThrough}
       ) latest
     ) b
     CROSS JOIN LATERAL (
       SELECT * FROM events WHERE session_id = s.id AND seq >= b.first AND said_by IS NOT NULL
       ORDER BY seq DESC LIMIT 1
     ) e`,
    ids,
  )
  const rawOf = await rawTexts(queries, rows)
  const words = rows.map((row) => wordsIn(decodeBody(row, rawOf)))
  const pieces = rows.filter((_, index) => words[index] === undefined)
  const joined = (
    await joinPieces(
      queries,
      pieces.map((row) => ({ ...row, last: row.seq })),
    )
  ).values()
  for (const [index, row] of rows.entries()) {
    const text = shownWords(words[index] ?? joined.next().value!)
    if (text !== '')
      found.set(row.session_id, { role: row.type === 'text' ? 'assistant' : 'user', text, at: row.at })
  }
  return found
}
