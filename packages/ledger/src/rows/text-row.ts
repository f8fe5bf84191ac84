import type { Event } from '@remora/protocol/plain'
import { type Document, toDocument, longestDocument } from '../text/document.ts'
import { type EventRow, decodeBody } from './event-row.ts'
import { getChannelRank } from './summary.ts'

/** What a row must tell so that its text can be read. */
export interface TextRow extends Pick<EventRow, 'seq' | 'type' | 'entity' | 'record' | 'body' | 'raw'> {
  readonly session_id: number
}

/** A row of text that came in pieces, and who told it. */
export interface PieceRow extends TextRow {
  readonly source_id: number
  readonly channel: string
}

/** Gives the raw texts of rows, and takes one that was seen, of which others may be asked for soon. */
export interface RawReader {
  (seq: number): string
  cache(seq: number, raw: string): void
}

/** The text of one row, and whether it is all there is. */
export function readRowText(
  row: TextRow,
  getRaw: RawReader,
): (Document & { readonly whole: boolean }) | undefined {
  if (row.raw !== null) getRaw.cache(row.seq, row.raw)
  const event = { type: row.type, ...decodeBody(row, getRaw) } as Event
  const document = toDocument(event)
  if (!document) return undefined
  const incremental = event.type === 'text' || event.type === 'thinking'
  return { ...document, whole: !incremental || (event.offset === 0 && event.final === true) }
}

/**
 * The text of an entity that came in pieces, of which these are all, in their order. Where several sources told it, the
 * best one's: their pieces are not cut alike.
 */
export function joinText(rows: readonly PieceRow[], getRaw: RawReader): string {
  const best = rows.reduce(
    (best, row) => (getChannelRank(row.channel) < getChannelRank(best.channel) ? row : best),
    rows[0]!,
  )
  let text = ''
  for (const row of rows) {
    if (row.source_id !== best.source_id) continue
    if (row.raw !== null) getRaw.cache(row.seq, row.raw)
    const { offset, text: added, final } = decodeBody(row, getRaw) as Piece
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
