import type { SqliteValue } from '@remora/sqlite'
import type { CallIndex, CallEnd, CallName, CallDetails } from '../rows/call-index.ts'
import type { Connection } from './connection.ts'

/** The calls in the database. Each method is one statement inside the caller's transaction. */
export class SqliteCallIndex implements CallIndex {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  addPrompt(...row: readonly [session: number, channel: number, at: number, entity: string]): void {
    this.#connection.statement('INSERT OR IGNORE INTO prompts VALUES (?, ?, ?, ?)').run(...row)
  }

  findNamed(session: number, entity: string): number | null | undefined {
    return this.#connection
      .statement<{ call_id: number | null }>(
        'SELECT call_id FROM call_names WHERE session_id = ? AND entity = ? ORDER BY channel LIMIT 1',
      )
      .get(session, entity)?.call_id
  }

  findUnnamed(session: number, call: string, claudeCall: string): number | undefined {
    return this.#connection
      .statement<{ id: number }>(
        `SELECT id FROM calls INDEXED BY calls_unnamed
         WHERE session_id = ? AND named = 0 AND (call = ? OR claude_call = ?) ORDER BY id LIMIT 1`,
      )
      .get(session, call, claudeCall)?.id
  }

  findUnreported(session: number, call: string, after: number, channel: number): number | undefined {
    return (
      this.#connection
        .statement<{ id: number }>(
          `SELECT min(id) AS id FROM calls c WHERE session_id = ? AND (call = ? OR claude_call = ?) AND id > ?
           AND NOT EXISTS (SELECT 1 FROM call_names n WHERE n.call_id = c.id AND n.channel = ?)`,
        )
        .get(session, call, call, after, channel)?.id ?? undefined
    )
  }

  findLast({ session, entity, channel }: CallName): number {
    const found = this.#connection
      .statement<{ call_id: number }>(
        `SELECT call_id FROM call_names WHERE session_id = ? AND entity = ? AND channel = ?
         ORDER BY number DESC LIMIT 1`,
      )
      .get(session, entity, channel)
    return found?.call_id ?? 0
  }

  endNext({ session, entity, channel }: CallName): number | undefined {
    const found = this.#connection
      .statement<{ number: number; call_id: number }>(
        `SELECT number, call_id FROM call_names
         WHERE session_id = ? AND entity = ? AND channel = ? AND ended = 0 ORDER BY number LIMIT 1`,
      )
      .get(session, entity, channel)
    if (!found) return undefined
    this.#connection
      .statement(
        'UPDATE call_names SET ended = 1 WHERE session_id = ? AND entity = ? AND channel = ? AND number = ?',
      )
      .run(session, entity, channel, found.number)
    return found.call_id
  }

  addName({ session, entity, channel }: CallName, repeats: boolean, id: number | null): void {
    const number = repeats
      ? this.#connection
          .statement<{ count: number }>(
            'SELECT coalesce(max(number), -1) + 1 AS count FROM call_names WHERE session_id = ? AND entity = ? AND channel = ?',
          )
          .get(session, entity, channel)!.count
      : 0
    this.#connection
      .statement('INSERT OR IGNORE INTO call_names VALUES (?, ?, ?, ?, ?, 0)')
      .run(session, entity, channel, number, id)
  }

  isCopy(session: number, entity: string, at: number): boolean {
    const found = this.#connection
      .statement(
        `SELECT 1 FROM call_names n JOIN calls c ON c.id = n.call_id JOIN sessions s ON s.id = n.session_id
         WHERE n.channel = 0 AND n.entity = ? AND c.at = ? AND n.session_id <> ?
           AND s.agent = (SELECT agent FROM sessions WHERE id = ?) LIMIT 1`,
      )
      .get(entity, at, session, session)
    return found !== undefined
  }

  create(session: number, details: CallDetails): number {
    const { lastInsertRowid } = this.#connection
      .statement(
        `INSERT INTO calls (session_id, named, at, entity, call, claude_call, channel, tool, native, input, parent,
           told_by, status, failed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', 0)`,
      )
      .run(session, Number(details.named), details.at, ...toColumns(details))
    return Number(lastInsertRowid)
  }

  update(id: number, details: CallDetails): void {
    this.#connection
      .statement(
        `UPDATE calls SET entity = ?, call = ?, claude_call = ?, channel = ?, tool = ?, native = ?, input = ?,
           parent = ?, told_by = ? WHERE id = ? AND channel >= ?`,
      )
      .run(...toColumns(details), id, details.channel)
    // Some files report a call when it has ended, and again whenever they are rewritten.
    this.#connection
      .statement('UPDATE calls SET at = min(at, ?), named = max(named, ?) WHERE id = ?')
      .run(details.at, Number(details.named), id)
  }

  setEnd(id: number, end: CallEnd): void {
    this.#connection
      .statement(
        `UPDATE calls SET ended_channel = ?, status = ?, failed = ?, error = ?, ended_at = ?, ended_by = ?
         WHERE id = ? AND coalesce(ended_channel, 99) >= ?`,
      )
      .run(end.channel, end.status, Number(end.failed), end.error, end.at, end.reportedBy, id, end.channel)
  }
}

function toColumns(details: CallDetails): readonly SqliteValue[] {
  const { entity, call, claudeCall, channel, tool, native, input, parent, reportedBy } = details
  return [entity, call, claudeCall, channel, tool, native, input, parent, reportedBy]
}
