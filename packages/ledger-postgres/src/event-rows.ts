import type { Event } from '@remora/protocol/plain'
import { encodeBody } from '@remora/ledger/internal'
import type { Item } from './items.ts'
import type { TransactionEnd } from './connection.ts'
import { encodeBigintArray, encodeDoubleArray, encodeSmallintArray, encodeTextArray } from './parameters.ts'
import type { SourceRef, SourceRefs } from './source-cache.ts'

/** An event row without its final number; rows are numbered from 1 within the append. */
export interface EventRow {
  readonly item: Item
  readonly ref: SourceRef
  /** The position of the row that has the text of its record. */
  readonly record: number | null
  readonly body: string
  readonly raw: string | null
}

/** The maximum size of one statement. */
export const statementBytes = 16_000_000

/** Encodes new events that follow `before` other rows. Only a new row can hold the text of a record for the others. */
export function encodeRows(items: readonly Item[], refs: SourceRefs, before = 0): EventRow[] {
  const rows: EventRow[] = []
  let holder: { readonly record: number; readonly position: number; readonly item: Item } | undefined
  for (const item of items) {
    const { event, record, own } = item
    const shared =
      own === undefined && holder?.record === record && holder.item.session === item.session
        ? holder
        : undefined
    const body = encodeBody(event, own ?? shared?.item.own)
    rows.push({
      item,
      ref: refs.get(item)!,
      record: shared && body.startsWith('[') ? shared.position : null,
      body,
      raw: own ?? null,
    })
    if (own !== undefined && holder?.record !== record)
      holder = { record, position: before + rows.length, item }
  }
  return rows
}

/** The columns of an event, in order. */
export const eventColumns = [
  ['session_id', 'bigint'],
  ['source_id', 'bigint'],
  ['at', 'double precision'],
  ['record', 'bigint'],
  ['said_by', 'smallint'],
  ['key', 'text'],
  ['digest', 'text'],
  ['type', 'text'],
  ['entity', 'text'],
  ['parent', 'text'],
  ['body', 'text'],
  ['raw', 'text'],
] as const

const names = eventColumns.map(([name]) => name)

const sql = `INSERT INTO events (seq, stored_at, ${names.join()})
  SELECT h.seq - $1::bigint + n.number, floor(extract(epoch FROM now()) * 1000)::bigint,
    ${names.map((name) => (name === 'record' ? 'h.seq - $2::bigint + n.record' : `n.${name}`)).join()}
  FROM head h, unnest(${eventColumns.map(([, type], index) => `$${index + 3}::${type}[]`).join()})
    WITH ORDINALITY AS n (${names.join()}, number)`

/** The statements that assign numbers and store the rows. From the first one on, all other writers wait. */
export function buildInserts(rows: readonly EventRow[]): TransactionEnd<unknown>['statements'] {
  if (rows.length === 0) return []
  let done = 0
  const inserts = splitRows(rows).map((chunk) => {
    const before = rows.length - done
    done += chunk.length
    return [sql, before, rows.length, ...toColumns(chunk)] as const
  })
  return [['UPDATE head SET seq = seq + $1', rows.length], ...inserts]
}

function splitRows(rows: readonly EventRow[]): EventRow[][] {
  const chunks: EventRow[][] = [[]]
  let size = 0
  for (const row of rows) {
    size += row.body.length + (row.raw?.length ?? 0)
    if (size > statementBytes && chunks.at(-1)!.length > 0) {
      chunks.push([])
      size = row.body.length + (row.raw?.length ?? 0)
    }
    chunks.at(-1)!.push(row)
  }
  return chunks
}

/** The columns of these rows, each as one parameter. */
export function toColumns(rows: readonly EventRow[]): Buffer[] {
  const texts = (text: (row: EventRow) => string | null) => encodeTextArray(rows.map(text))
  return [
    encodeBigintArray(rows.map(({ ref }) => ref.session)),
    encodeBigintArray(rows.map(({ ref }) => ref.source)),
    encodeDoubleArray(rows.map(({ item: { event } }) => event.at)),
    encodeBigintArray(rows.map(({ record }) => record)),
    encodeSmallintArray(rows.map(({ item: { event } }) => getSpeaker(event))),
    texts(({ item: { event } }) => event.origin.key),
    texts(({ item: { event } }) => event.origin.digest ?? ''),
    texts(({ item: { event } }) => event.type),
    texts(({ item: { event } }) => event.entity),
    texts(({ item: { event } }) => event.parent ?? null),
    texts(({ body }) => body),
    texts(({ raw }) => raw),
  ]
}

/** 1 for a user's prompt, 2 for the agent's text, null for sub-agents and everything else. */
function getSpeaker(event: Event): number | null {
  if (event.parent !== undefined) return null
  if (event.type === 'text') return 2
  return event.type === 'message' && event.role === 'user' && !event.context ? 1 : null
}
