import { type PieceRow, type RawReader, type TextRow, joinText } from '../rows/text-row.ts'
import type { Connection } from './connection.ts'

/** Joins the pieces of a text up to a sequence number. */
export function joinPieces(
  connection: Connection,
  piece: Pick<TextRow, 'session_id' | 'type' | 'entity'>,
  first: number,
  last: number,
  getRaw: RawReader,
): string {
  const rows = connection
    .statement<PieceRow>(
      `SELECT e.seq, e.session_id, e.type, e.entity, e.record, e.body, e.raw, e.source_id, o.channel
       FROM events e JOIN sources o ON o.id = e.source_id
       WHERE e.session_id = ? AND e.seq BETWEEN ? AND ? AND e.entity = ? AND e.type = ? ORDER BY e.seq`,
    )
    .all(piece.session_id, first, last, piece.entity, piece.type)
  return joinText(rows, getRaw)
}
