import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { IndexOptions, IndexProgress } from '../model/ledger.ts'
import { type TextChange, collectTextChanges } from '../rows/text-changes.ts'
import { type RawReader, type TextRow, readRowText } from '../rows/text-row.ts'
import { type Document, documentKinds, textTypes } from '../text/document.ts'
import { separateCharacters } from '../text/phrases.ts'
import type { Connection } from './connection.ts'
import { joinPieces } from './pieces.ts'
import { createRawReader, readHead } from './read.ts'

/** The size of one transaction. Other writers wait for it, and larger steps are hardly faster. */
const stepBytes = 4_000_000

/** Continues the full-text index in steps. Several processes may do it at the same time. */
export async function indexText(connection: Connection, options: IndexOptions): Promise<IndexProgress> {
  for (;;) {
    const indexed = connection.readMeta<number>('indexed')!
    const total = readHead(connection)
    if (indexed >= total || options.signal?.aborted) return { done: indexed, total }
    const done = await connection.write(() => step(connection))
    options.onProgress?.({ done, total: Math.max(done, total) })
    await yieldToOthers()
  }
}

function step(connection: Connection): number {
  const from = connection.readMeta<number>('indexed')!
  const { rows, reached } = takeRows(connection, from)
  const getRaw = createRawReader(connection)
  for (const change of collectTextChanges(rows, getRaw)) store(connection, change, getRaw)
  connection.writeMeta('indexed', reached)
  return reached
}

function takeRows(connection: Connection, from: number): { rows: TextRow[]; reached: number } {
  const statement = connection.statement<TextRow>(
    `SELECT seq, session_id, type, entity, record, body, raw FROM events
     WHERE seq > ? AND type IN (${textTypes.map((type) => `'${type}'`).join()}) ORDER BY seq`,
  )
  const rows: TextRow[] = []
  let size = 0
  for (const row of statement.iterate(from)) {
    rows.push(row)
    size += row.body.length + (row.raw?.length ?? 0) + 100
    if (size >= stepBytes) return { rows, reached: row.seq }
  }
  return { rows, reached: readHead(connection) }
}

function store(connection: Connection, change: TextChange, getRaw: RawReader): void {
  const { row, first } = change
  const key = [row.session_id, documentKinds.indexOf(change.kind), row.entity] as const
  const { changes: added } = connection
    .statement('INSERT INTO documents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
    .run(...key, first, row.seq)
  if (added === 1) {
    write(connection, row, change.text ?? joinPieces(connection, row, first, row.seq, getRaw))
    return
  }
  const where = 'WHERE session_id = ? AND kind = ? AND entity = ?'
  const known = connection
    .statement<{ first: number; seq: number }>(`SELECT first, seq FROM documents ${where}`)
    .get(...key)!
  const text = change.text ?? joinPieces(connection, row, known.first, row.seq, getRaw)
  // Agents repeat texts; the older row stays.
  if (text === readDocument(connection, known.seq).text) return
  connection.statement('DELETE FROM search WHERE rowid = ?').run(known.seq)
  connection.statement(`UPDATE documents SET seq = ? ${where}`).run(row.seq, ...key)
  write(connection, row, text)
}

function write(connection: Connection, row: TextRow, text: string): void {
  connection
    .statement('INSERT INTO search (rowid, text, session) VALUES (?, ?, ?)')
    .run(row.seq, separateCharacters(text), `s${row.session_id}`)
}

/** Reads the text that a row of the index was made from. */
export function readDocument(connection: Connection, seq: number): Document {
  const row = connection
    .statement<TextRow>('SELECT seq, session_id, type, entity, record, body, raw FROM events WHERE seq = ?')
    .get(seq)!
  const getRaw = createRawReader(connection)
  const document = readRowText(row, getRaw)!
  if (document.whole) return document
  const { first } = connection
    .statement<{ first: number }>(
      'SELECT first FROM documents WHERE session_id = ? AND kind = ? AND entity = ?',
    )
    .get(row.session_id, documentKinds.indexOf(document.kind), row.entity)!
  return { kind: document.kind, text: joinPieces(connection, row, first, seq, getRaw) }
}
