import type { SessionEntry } from '@remora/ledger'
import { type TextRow, decodeBody, scannedEvents, toPreview, getMessageText } from '@remora/ledger/internal'
import type { Queries } from './connection.ts'
import { joinPieces, readRawTexts } from './pieces.ts'

type Last = NonNullable<SessionEntry['last']>
type MessageRow = TextRow & { readonly at: number; readonly first: number }

/** Reads the last message of each session, from the user or the agent, with known secrets masked. */
export async function readLastMessages(queries: Queries, ids: readonly number[]): Promise<Map<number, Last>> {
  const found = new Map<number, Last>()
  if (ids.length === 0) return found
  const rows = await queries.all<MessageRow>(
    `SELECT e.session_id, e.seq, e.type, e.entity, e.at, e.record, e.body, b.first,
       CASE WHEN left(e.body, 1) = '[' THEN e.raw END AS raw
     FROM unnest($1::bigint[]) s (id)
     CROSS JOIN LATERAL (
       SELECT min(seq) AS first FROM (
         SELECT seq FROM events WHERE session_id = s.id ORDER BY seq DESC LIMIT ${scannedEvents}
       ) latest
     ) b
     CROSS JOIN LATERAL (
       SELECT * FROM events WHERE session_id = s.id AND seq >= b.first AND said_by IS NOT NULL
       ORDER BY seq DESC LIMIT 1
     ) e`,
    ids,
  )
  const getRaw = await readRawTexts(queries, rows)
  const texts = rows.map((row) => getMessageText(decodeBody(row, getRaw)))
  const pieces = rows.filter((_, index) => texts[index] === undefined)
  const joined = (
    await joinPieces(
      queries,
      pieces.map((row) => ({ ...row, last: row.seq })),
    )
  ).values()
  for (const [index, row] of rows.entries()) {
    const text = toPreview(texts[index] ?? joined.next().value!)
    if (text !== '')
      found.set(row.session_id, { role: row.type === 'text' ? 'assistant' : 'user', text, at: row.at })
  }
  return found
}
