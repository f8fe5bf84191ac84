import { createHash } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { callEntity, isCallEntity } from '@remora/protocol/fold'
import { type EventOf, channels, textOf } from '@remora/protocol/plain'
import type { Connection } from './connection.ts'
import { type EventRow, decodeBody } from './encode.ts'
import { rawReader, readHead } from './read.ts'

/** How much is done in one transaction. Others wait that long. */
const stepBytes = 4_000_000

/** What of an input, and of what a failed call gave back, is kept beside the events. */
const longestInput = 2000
const longestError = 4000

type Row = Pick<EventRow, 'seq' | 'type' | 'entity' | 'at' | 'parent' | 'record' | 'body' | 'raw'> & {
  readonly session_id: number
  readonly channel: string
  readonly source: string
}

const columns = `e.seq, e.session_id, e.type, e.entity, e.at, e.parent, e.record, e.body, e.raw, o.channel, o.source
  FROM events e JOIN sources o ON o.id = e.source_id`
const told = `e.type IN ('tool_use', 'tool_result', 'message')`

/** Brings the calls up to date with the events, in steps. Several processes may do it at once. */
export async function gatherCalls(connection: Connection): Promise<void> {
  while (readCalled(connection) < readHead(connection)) {
    await connection.write(() => step(connection))
    await breathe()
  }
}

function readCalled(connection: Connection): number {
  return connection.get<{ value: number }>(`SELECT value FROM meta WHERE name = 'called'`)!.value
}

function step(connection: Connection): void {
  const rows = connection.statement<Row>(
    `SELECT ${columns} WHERE e.seq > ? AND ${told} ORDER BY e.seq LIMIT 2000`,
  )
  let reached = readHead(connection)
  let size = 0
  let taken = 0
  const batch: Row[] = []
  for (const row of rows.iterate(readCalled(connection))) {
    batch.push(row)
    size += row.body.length + (row.raw?.length ?? 0)
    taken++
    if (size >= stepBytes || taken === 2000) {
      reached = row.seq
      break
    }
  }
  takeIn(connection, batch)
  connection.statement(`UPDATE meta SET value = ? WHERE name = 'called'`).run(reached)
}

function takeIn(connection: Connection, rows: Iterable<Row>): void {
  const calls = new Calls(connection)
  const rawOf = rawReader(connection)
  for (const row of rows) {
    if (row.raw !== null) rawOf.known(row.seq, row.raw)
    calls.takeIn(row, { type: row.type, ...decodeBody(row, rawOf) } as EventOf<Told>)
  }
}

/**
 * Takes the calls of a session away, inside a transaction. Those that a fork of it holds count for the fork from then
 * on.
 */
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
    `SELECT ${columns} WHERE e.session_id = ? AND e.seq <= ? AND ${told} ORDER BY e.seq`,
  )
  for (const { id } of forks) takeIn(connection, rows.all(id, readCalled(connection)))
}

type Told = 'tool_use' | 'tool_result' | 'message'

/** Finds for each event the call that it means. */
class Calls {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  takeIn(row: Row, event: EventOf<Told>): void {
    if (event.type === 'tool_use') this.#begin(row, event)
    else if (event.type === 'tool_result') this.#end(row, event)
    else if (
      event.role === 'user' &&
      !event.context &&
      row.parent === null &&
      (event.content ?? []).length > 0
    )
      this.#connection
        .statement('INSERT OR IGNORE INTO prompts VALUES (?, ?, ?, ?)')
        .run(row.session_id, rankOf(row), row.at, row.entity)
  }

  #begin(row: Row, event: EventOf<'tool_use'>): void {
    const native = event.native ?? { name: event.name, input: event.input }
    const call = digest(callEntity(native.name, native.input))
    const claudeCall = digest(callEntity(event.name, event.input))
    const nameless = isCallEntity(row.entity)
    // An id that means something in one run only is no better than none, for other channels.
    const lasting = !nameless && !row.entity.startsWith(row.source)
    const known = nameless ? undefined : this.#named(row)
    if (known === null) return
    const id =
      known ??
      (lasting ? this.#unnamed(row, call, claudeCall) : this.#untold(row, nameless ? call : claudeCall))
    const values = [
      event.name,
      native.name,
      JSON.stringify(native.input ?? null, shorten),
      row.parent,
      row.seq,
    ]
    const channel = rankOf(row)
    if (id === undefined) {
      if (lasting && this.#isCopy(row)) {
        this.#name(row, null)
        return
      }
      const { lastInsertRowid } = this.#connection
        .statement(
          `INSERT INTO calls (session_id, entity, named, call, claude_call, channel, tool, native, input, parent,
             told_by, at, status, failed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', 0)`,
        )
        .run(row.session_id, nameOf(row), Number(lasting), call, claudeCall, channel, ...values, row.at)
      this.#name(row, Number(lastInsertRowid))
      return
    }
    // The best channel's word counts, and its last one.
    this.#connection
      .statement(
        `UPDATE calls SET entity = ?, call = ?, claude_call = ?, channel = ?, tool = ?, native = ?, input = ?,
           parent = ?, told_by = ? WHERE id = ? AND channel >= ?`,
      )
      .run(nameOf(row), call, claudeCall, channel, ...values, id, channel)
    // Some files tell a call when it has ended, and again whenever they are written anew.
    this.#connection
      .statement('UPDATE calls SET at = min(at, ?), named = max(named, ?) WHERE id = ?')
      .run(row.at, Number(lasting), id)
    this.#name(row, id)
  }

  #end(row: Row, event: EventOf<'tool_result'>): void {
    const id = isCallEntity(row.entity) ? this.#waiting(row) : this.#named(row)
    if (id === undefined || id === null) return
    const failed = event.status !== 'success'
    const text = failed && event.content !== undefined ? textIn(event.content) : undefined
    const channel = rankOf(row)
    this.#connection
      .statement(
        `UPDATE calls SET ended_channel = ?, status = ?, failed = ?, error = ?, ended_at = ?, ended_by = ?
         WHERE id = ? AND coalesce(ended_channel, 99) >= ?`,
      )
      .run(
        channel,
        event.status,
        Number(failed),
        text === undefined ? null : cut(text, longestError),
        row.at,
        row.seq,
        id,
        channel,
      )
  }

  /** The call that has this id; null if it belongs to another session, of which this one is a fork. */
  #named(row: Row): number | null | undefined {
    return this.#connection
      .statement<{ call_id: number | null }>(
        'SELECT call_id FROM call_names WHERE session_id = ? AND entity = ? ORDER BY channel LIMIT 1',
      )
      .get(row.session_id, row.entity)?.call_id
  }

  /** A call of this name and input that no channel with ids has told yet. */
  #unnamed(row: Row, call: string, claudeCall: string): number | undefined {
    return this.#connection
      .statement<{ id: number }>(
        `SELECT id FROM calls INDEXED BY calls_unnamed
         WHERE session_id = ? AND named = 0 AND (call = ? OR claude_call = ?) ORDER BY id LIMIT 1`,
      )
      .get(row.session_id, call, claudeCall)?.id
  }

  /** A call of this name and input that this channel has not told yet. */
  #untold(row: Row, call: string): number | undefined {
    return (
      this.#connection
        .statement<{ id: number }>(
          `SELECT min(id) AS id FROM calls c WHERE session_id = ? AND (call = ? OR claude_call = ?) AND id > ?
           AND NOT EXISTS (SELECT 1 FROM call_names n WHERE n.call_id = c.id AND n.channel = ?)`,
        )
        .get(row.session_id, call, call, this.#last(row), rankOf(row))?.id ?? undefined
    )
  }

  /** The first call of this name that still waits for its end, as this channel tells it. */
  #waiting(row: Row): number | undefined {
    const key = [row.session_id, nameOf(row), rankOf(row)] as const
    const found = this.#connection
      .statement<{ number: number; call_id: number }>(
        `SELECT number, call_id FROM call_names
         WHERE session_id = ? AND entity = ? AND channel = ? AND ended = 0 ORDER BY number LIMIT 1`,
      )
      .get(...key)
    // One more end than calls is told of the last.
    if (!found) return this.#last(row) || undefined
    this.#connection
      .statement(
        'UPDATE call_names SET ended = 1 WHERE session_id = ? AND entity = ? AND channel = ? AND number = ?',
      )
      .run(...key, found.number)
    return found.call_id
  }

  /** The last call that this channel called so; 0 if there is none. They are told in their order. */
  #last(row: Row): number {
    const found = this.#connection
      .statement<{ call_id: number }>(
        `SELECT call_id FROM call_names WHERE session_id = ? AND entity = ? AND channel = ?
         ORDER BY number DESC LIMIT 1`,
      )
      .get(row.session_id, nameOf(row), rankOf(row))
    return found?.call_id ?? 0
  }

  #name(row: Row, id: number | null): void {
    const key = [row.session_id, nameOf(row), rankOf(row)] as const
    const number = isCallEntity(row.entity)
      ? this.#connection
          .statement<{ count: number }>(
            'SELECT coalesce(max(number), -1) + 1 AS count FROM call_names WHERE session_id = ? AND entity = ? AND channel = ?',
          )
          .get(...key)!.count
      : 0
    this.#connection
      .statement('INSERT OR IGNORE INTO call_names VALUES (?, ?, ?, ?, ?, 0)')
      .run(...key, number, id)
  }

  /** Whether an older session holds the same call: a fork begins with a copy. */
  #isCopy(row: Row): boolean {
    if (rankOf(row) !== 0) return false
    const found = this.#connection
      .statement(
        `SELECT 1 FROM call_names n JOIN calls c ON c.id = n.call_id JOIN sessions s ON s.id = n.session_id
         WHERE n.channel = 0 AND n.entity = ? AND c.at = ? AND n.session_id <> ?
           AND s.agent = (SELECT agent FROM sessions WHERE id = ?) LIMIT 1`,
      )
      .get(row.entity, row.at, row.session_id, row.session_id)
    return found !== undefined
  }
}

function rankOf({ channel }: Row): number {
  return (channels as readonly string[]).indexOf(channel)
}

/** The name of a call without an id holds its whole input, which may be long. */
function nameOf({ entity }: Row): string {
  return isCallEntity(entity) ? `call:${digest(entity)}` : entity
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64url')
}

function textIn(content: NonNullable<EventOf<'tool_result'>['content']>): string {
  return typeof content === 'string' ? content : textOf({ content })
}

function shorten(_: string, value: unknown): unknown {
  return typeof value === 'string' ? cut(value, longestInput) : value
}

/** The beginning and the end, where the reason mostly stands. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  const half = Math.floor(longest / 2)
  return `${text.slice(0, half).replace(/[\ud800-\udbff]$/, '')} … ${text.slice(-half).replace(/^[\udc00-\udfff]/, '')}`
}
