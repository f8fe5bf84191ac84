import { type EventRecord, parseJson } from '@remora/protocol/plain'
import type { DatabaseRows } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** One row with its parsed JSON and its text. */
export interface Row {
  readonly id: string
  readonly created: number
  readonly updated: number
  /** The row with its table's name and with `data` as JSON, for display. */
  readonly record: AgentRecord
  /** The same as text, with the original `data`. */
  readonly text: string
  /** Changes with the content of the row, but not with its update time. */
  readonly digest: string
  readonly data: AgentRecord
}

/** @example findRow(database, 'message', 'msg_1')?.data['role'] */
export function findRow(database: DatabaseRows, table: Table, id: string): Row | undefined {
  for (const record of database.rows(`SELECT * FROM ${table} WHERE id = ?`, id)) return toRow(table, record)
  return undefined
}

/** Lists the parts of a message in order. @example listParts(database, 'msg_1')[0]?.data['type'] */
export function listParts(database: DatabaseRows, message: string): Row[] {
  const found = database.rows('SELECT * FROM part WHERE message_id = ? ORDER BY id', message)
  return Array.from(found, (record) => toRow('part', record))
}

export type Table = 'session' | 'message' | 'part'

function toRow(table: Table, { data: text, ...columns }: AgentRecord): Row {
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

/** Parses JSON in a column; undefined if it is invalid. @example parse('{"a":1}') */
export function parse(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/**
 * Makes the events of one record. The first event has its raw text.
 *
 * @example makeRecord(maker, row, [{ type: 'status', … }])
 */
export function makeRecord(
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
