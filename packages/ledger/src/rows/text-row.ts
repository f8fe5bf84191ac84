import type { Event } from '@remora/protocol/plain'
import { type Document, toDocument, maxDocumentLength } from '../text/document.ts'
import { type EventRow, decodeBody } from './event-row.ts'
import { getChannelRank } from './summary.ts'

/** The columns that are needed to read a row's text. */
export interface TextRow extends Pick<EventRow, 'seq' | 'type' | 'entity' | 'record' | 'body' | 'raw'> {
  readonly session_id: number
}

/** A row of a text that came in pieces. */
export interface PieceRow extends TextRow {
  readonly source_id: number
  readonly channel: string
}

/** Returns the raw text of a row. `cache` keeps one that was just read, since its neighbours need it next. */
export interface RawReader {
  (seq: number): string
  cache(seq: number, raw: string): void
}

/** The text of one row, and whether it is complete. */
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
 * Joins all pieces of a text, given in order. If several sources reported it, only the best one counts, since each cuts
 * it differently.
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
  return text.slice(0, maxDocumentLength)
}

interface Piece {
  readonly offset: number
  readonly text: string
  readonly final?: true
}
