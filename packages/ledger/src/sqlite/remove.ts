import type { SqliteValue } from '@remora/sqlite'
import type { SessionKey } from '../model/ledger.ts'
import type { Connection } from './connection.ts'
import { getSessionMarks } from '../rows/session-marks.ts'
import { removeCalls } from './update-calls.ts'

/** Deletes everything that is stored of a session, inside a transaction. Returns the number of events. */
export function removeSession(connection: Connection, id: number, key: SessionKey): number {
  const run = (sql: string, ...parameters: SqliteValue[]): number =>
    connection.statement(sql).run(...parameters).changes
  run('DELETE FROM search WHERE rowid IN (SELECT seq FROM documents WHERE session_id = ?)', id)
  run('DELETE FROM documents WHERE session_id = ?', id)
  run('DELETE FROM messages WHERE session_id = ?', id)
  run('DELETE FROM usages WHERE session_id = ?', id)
  run('DELETE FROM usage_slots WHERE session_id = ?', id)
  removeCalls(connection, id)
  // Messages that a fork has as well are counted there instead.
  run('UPDATE sessions SET usage_stale = 1')
  const events = run('DELETE FROM events WHERE session_id = ?', id)
  run('DELETE FROM sources WHERE session_id = ?', id)
  removeAsksAndCommands(connection, key)
  const { head, keys } = getSessionMarks(key)
  // The name of a mark begins with its machine.
  run('DELETE FROM marks WHERE instr(name, ?) > 0 OR instr(name, ?) > 0', head, keys)
  run('DELETE FROM sessions WHERE id = ?', id)
  return events
}

/** A session may have asks and commands before it has events. */
export function removeAsksAndCommands(connection: Connection, { agent, session }: SessionKey): void {
  for (const table of ['asks', 'commands'])
    connection.statement(`DELETE FROM ${table} WHERE agent = ? AND session = ?`).run(agent, session)
}

export function findSessionId(connection: Connection, { agent, session }: SessionKey): number | undefined {
  return connection.get<{ id: number }>(
    'SELECT id FROM sessions WHERE agent = ? AND session = ?',
    agent,
    session,
  )?.id
}
