import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { EventOf } from '@remora/protocol/plain'
import { type CallEventType, type CallEventRow, recordCall, callEventTypes } from '../rows/record-call.ts'
import { SqliteCallIndex } from './call-index.ts'
import type { Connection } from './connection.ts'
import { type EventRow, decodeBody } from '../rows/event-row.ts'
import { createRawReader, readHead } from './read.ts'

/** The size of one transaction. Other writers wait for it. */
const stepBytes = 4_000_000

type Row = CallEventRow & Pick<EventRow, 'type' | 'record' | 'body' | 'raw'>

const columns = `e.seq, e.session_id, e.type, e.entity, e.at, e.parent, e.record, e.body, e.raw, o.channel, o.source
  FROM events e JOIN sources o ON o.id = e.source_id`
const isCallEvent = `e.type IN (${callEventTypes.map((type) => `'${type}'`).join(', ')})`

/** Derives calls from new events, in steps. Several processes may do it at the same time. */
export async function updateCalls(connection: Connection): Promise<void> {
  while (connection.readMeta<number>('called')! < readHead(connection)) {
    await connection.write(() => step(connection))
    await yieldToOthers()
  }
}

function step(connection: Connection): void {
  const rows = connection.statement<Row>(
    `SELECT ${columns} WHERE e.seq > ? AND ${isCallEvent} ORDER BY e.seq LIMIT 2000`,
  )
  let reached = readHead(connection)
  let size = 0
  let taken = 0
  const batch: Row[] = []
  for (const row of rows.iterate(connection.readMeta<number>('called')!)) {
    batch.push(row)
    size += row.body.length + (row.raw?.length ?? 0)
    taken++
    if (size >= stepBytes || taken === 2000) {
      reached = row.seq
      break
    }
  }
  recordCalls(connection, batch)
  connection.writeMeta('called', reached)
}

function recordCalls(connection: Connection, rows: Iterable<Row>): void {
  const index = new SqliteCallIndex(connection)
  const getRaw = createRawReader(connection)
  for (const row of rows) {
    if (row.raw !== null) getRaw.cache(row.seq, row.raw)
    recordCall(index, row, { type: row.type, ...decodeBody(row, getRaw) } as EventOf<CallEventType>)
  }
}

/** Removes the calls of a session inside a transaction. Calls that a fork shares count for the fork from then on. */
export function removeCalls(connection: Connection, session: number): void {
  const forks = connection
    .statement<{ id: number }>(
      `SELECT DISTINCT f.session_id AS id FROM call_names n
       JOIN call_names f ON f.entity = n.entity AND f.channel = 0 AND f.call_id IS NULL
       WHERE n.session_id = ? AND n.channel = 0 AND n.call_id IS NOT NULL AND f.session_id <> n.session_id`,
    )
    .all(session)
  for (const { id } of [{ id: session }, ...forks])
    for (const table of ['calls', 'call_names', 'prompts'])
      connection.statement(`DELETE FROM ${table} WHERE session_id = ?`).run(id)
  const rows = connection.statement<Row>(
    `SELECT ${columns} WHERE e.session_id = ? AND e.seq <= ? AND ${isCallEvent} ORDER BY e.seq`,
  )
  for (const { id } of forks) recordCalls(connection, rows.all(id, connection.readMeta<number>('called')!))
}
