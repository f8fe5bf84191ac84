import { type PieceRow, type RawReader, type TextRow, joinText } from '@remora/ledger/internal'
import type { Queries } from './connection.ts'
import { readRaws } from './read.ts'

/** A text that came in pieces, and the range of their numbers. */
interface PieceRange extends Pick<TextRow, 'session_id' | 'type' | 'entity'> {
  readonly first: number
  readonly last: number
}

/** Joins texts that came in pieces, in the given order. */
export async function joinPieces(queries: Queries, wanted: readonly PieceRange[]): Promise<string[]> {
  if (wanted.length === 0) return []
  const rows = await queries.all<PieceRow & { position: number }>(
    `SELECT w.position, e.seq, e.session_id, e.type, e.entity, e.record, e.body, e.source_id, o.channel,
       CASE WHEN left(e.body, 1) = '[' THEN e.raw END AS raw
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
       WITH ORDINALITY w (session_id, type, entity, first, last, position)
     JOIN events e ON e.session_id = w.session_id AND e.seq BETWEEN w.first AND w.last
       AND e.entity = w.entity AND e.type = w.type
     JOIN sources o ON o.id = e.source_id ORDER BY w.position, e.seq`,
    ...(['session_id', 'type', 'entity', 'first', 'last'] as const).map((name) =>
      wanted.map((each) => each[name]),
    ),
  )
  const getRaw = await readRawTexts(queries, rows)
  const byPosition = new Map<number, PieceRow[]>()
  for (const row of rows) {
    const pieces = byPosition.get(row.position)
    if (pieces) pieces.push(row)
    else byPosition.set(row.position, [row])
  }
  return wanted.map((_, index) => joinText(byPosition.get(index + 1) ?? [], getRaw))
}

/** Reads the raw texts that rows refer to. */
export async function readRawTexts(
  queries: Queries,
  rows: readonly Pick<TextRow, 'seq' | 'record' | 'raw'>[],
): Promise<RawReader> {
  return Object.assign(await readRaws(queries, rows), { cache: () => {} })
}
