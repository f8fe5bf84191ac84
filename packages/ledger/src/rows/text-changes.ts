import type { DocumentKind } from '../text/document.ts'
import { type RawReader, type TextRow, readRowText } from './text-row.ts'

/** The new text of one entity. */
export interface TextChange<Row extends TextRow = TextRow> {
  readonly row: Row
  readonly kind: DocumentKind
  /** Undefined if it must be joined from pieces. */
  readonly text: string | undefined
  /** The sequence number of the first of these events. */
  readonly first: number
}

/** The changed texts, one per entity, in the order of their last events. */
export function collectTextChanges<Row extends TextRow>(
  rows: readonly Row[],
  getRaw: RawReader,
): TextChange<Row>[] {
  const changes = new Map<string, TextChange<Row>>()
  for (const row of rows) {
    const document = readRowText(row, getRaw)
    if (!document) continue
    const { kind } = document
    const id = `${row.session_id} ${kind} ${row.entity}`
    const first = changes.get(id)?.first ?? row.seq
    // Moved to the end, since the index is written fastest in the order of its rows.
    changes.delete(id)
    changes.set(id, { row: light(row), kind, text: document.whole ? document.text : undefined, first })
  }
  return [...changes.values()]
}

function light<Row extends TextRow>(row: Row): Row {
  return row.raw === null ? row : { ...row, raw: null, body: '' }
}
