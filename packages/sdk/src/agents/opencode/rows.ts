import { type EventRecord, parseJson } from '@remora/protocol/plain'
import type { DatabaseRows } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** One row with its JSON read, and its text. */
export interface Row {
  readonly id: string
  readonly created: number
  readonly updated: number
  /** The row with its table's name and with `data` as JSON, for people to look at. */
  readonly record: AgentRecord
  /** The same as text, with `data` exactly as it was. */
  readonly text: string
  /** Tells whether it changed; being touched is no change. */
  readonly digest: string
  readonly data: AgentRecord
}

/** @example findRow(database, 'message', 'msg_1')?.data['role'] */
export function findRow(database: DatabaseRows, table: Table, id: string): Row | undefined {
  for (const record of database.rows(`SELECT * FROM ${table} WHERE id = ?`, id)) return rowOf(table, record)
  return undefined
}

/** The parts of a message, in their order. @example partsOf(database, 'msg_1')[0]?.data['type'] */
export function partsOf(database: DatabaseRows, message: string): Row[] {
  const found = database.rows('SELECT * FROM part WHERE message_id = ? ORDER BY id', message)
  return Array.from(found, (record) => rowOf('part', record))
}

export type Table = 'session' | 'message' | 'part'

function rowOf(table: Table, { data: text, ...columns }: AgentRecord): Row {
  const { time_updated: updated, ...lasting } = columns
  const content = parse(text)
  const opening = JSON.stringify({ table, ...columns })
  return {
    id: asString(columns['id']) ?? '',
    created: asCount(columns['time_created']) ?? 0,
    updated: asCount(updated) ?? 0,
    record: { table, ...columns, ...(text === undefined ? {} : { data: content ?? text }) },
    text: content === undefined ? JSON.stringify({ table, ...columns, data: text }) : withData(opening, text),
    digest: computeDigest(JSON.stringify(lasting) + String(text)),
    data: asRecord(content) ?? {},
  }
}

function withData(opening: string, data: unknown): string {
  return `${opening.slice(0, -1)},"data":${String(data)}}`
}

/** JSON in a column, if it is some. @example parse('{"a":1}') */
export function parse(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The events of one record, the first of which carries it. @example recordOf(maker, row, [{ type: 'status', … }]) */
export function recordOf(
  maker: EventMaker,
  row: Pick<Row, 'record' | 'text'>,
  fields: readonly (EventFields & { at?: number })[],
): EventRecord {
  const started = maker.at
  const events = fields.map(({ at, ...each }, index) => {
    maker.at = at ?? started
    return maker.make({ ...each, ...(index === 0 ? { raw: row.record } : {}) })
  })
  return { events, raw: row.text }
}
