import type { DocumentKind } from '../text/document.ts'
import { type RawReader, type TextRow, readRowText } from './text-row.ts'

/** What one entity says after some events. */
export interface TextChange<Row extends TextRow = TextRow> {
  readonly row: Row
  readonly kind: DocumentKind
  /** Undefined where it has to be joined from pieces. */
  readonly text: string | undefined
  /** The first of these events. */
  readonly first: number
}

/** What these events change, by the last word on each entity, in the order in which these were said. */
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
    // Put at the end again, since full text is written fastest in the order of its rows.
    changes.delete(id)
    changes.set(id, { row: light(row), kind, text: document.whole ? document.text : undefined, first })
  }
  return [...changes.values()]
}

function light<Row extends TextRow>(row: Row): Row {
  return row.raw === null ? row : { ...row, raw: null, body: '' }
}
