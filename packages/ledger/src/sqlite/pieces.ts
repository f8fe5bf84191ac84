import { type Event, channels } from '@remora/protocol/plain'
import type { Document } from '../text/document.ts'
import { documentOf, longestDocument } from '../text/document.ts'
import type { Connection } from './connection.ts'
import { type EventRow, decodeBody } from './encode.ts'
import type { rawReader } from './read.ts'

/** What a row must tell so that its text can be read. */
export interface TextRow extends Pick<EventRow, 'seq' | 'type' | 'entity' | 'record' | 'body' | 'raw'> {
  readonly session_id: number
}

/** The text of one row, and whether it is all there is. */
export function textOfRow(
  row: TextRow,
  rawOf: ReturnType<typeof rawReader>,
): (Document & { readonly whole: boolean }) | undefined {
  if (row.raw !== null) rawOf.known(row.seq, row.raw)
  const event = { type: row.type, ...decodeBody(row, rawOf) } as Event
  const document = documentOf(event)
  if (!document) return undefined
  const incremental = event.type === 'text' || event.type === 'thinking'
  return { ...document, whole: !incremental || (event.offset === 0 && event.final === true) }
}

/**
 * The text of an entity that came in pieces, up to a place. Where several sources told it, the best one's: their
 * pieces are not cut alike.
 */
export function joinPieces(
  connection: Connection,
  piece: Pick<TextRow, 'session_id' | 'type' | 'entity'>,
  first: number,
  last: number,
  rawOf: ReturnType<typeof rawReader>,
): string {
  const rows = connection
    .statement<TextRow & { source_id: number; channel: string }>(
      `SELECT e.seq, e.session_id, e.type, e.entity, e.record, e.body, e.raw, e.source_id, o.channel
       FROM events e JOIN sources o ON o.id = e.source_id
       WHERE e.session_id = ? AND e.seq BETWEEN ? AND ? AND e.entity = ? AND e.type = ? ORDER BY e.seq`,
    )
    .all(piece.session_id, first, last, piece.entity, piece.type)
  const best = rows.reduce((best, row) => (rank(row) < rank(best) ? row : best), rows[0]!)
  let text = ''
  for (const row of rows) {
    if (row.source_id !== best.source_id) continue
    if (row.raw !== null) rawOf.known(row.seq, row.raw)
    const { offset, text: added, final } = decodeBody(row, rawOf) as Piece
    const end = offset + added.length
    text = text.slice(0, offset).padEnd(offset) + added + (final ? '' : text.slice(end))
  }
  return text.slice(0, longestDocument)
}

interface Piece {
  readonly offset: number
  readonly text: string
  readonly final?: true
}

function rank({ channel }: { readonly channel: string }): number {
  return (channels as readonly string[]).indexOf(channel)
}
