import type { SessionKey } from '../ledger.ts'
import type { Connection } from './connection.ts'
import { removeCalls } from './gather-calls.ts'

/** Deletes all that is stored of a session, inside a transaction. Tells how many events there were. */
export function removeSession(connection: Connection, id: number, key: SessionKey): number {
  const run = (sql: string, ...parameters: unknown[]): number =>
    connection.statement(sql).run(...parameters).changes
  run('DELETE FROM search WHERE rowid IN (SELECT seq FROM documents WHERE session_id = ?)', id)
  run('DELETE FROM documents WHERE session_id = ?', id)
  run('DELETE FROM messages WHERE session_id = ?', id)
  run('DELETE FROM usages WHERE session_id = ?', id)
  run('DELETE FROM usage_slots WHERE session_id = ?', id)
  removeCalls(connection, id)
  // What another session held as well counts there from now on.
  run('UPDATE sessions SET usage_stale = 1')
  const events = run('DELETE FROM events WHERE session_id = ?', id)
  run('DELETE FROM sources WHERE session_id = ?', id)
  run('DELETE FROM asks WHERE agent = ? AND session = ?', key.agent, key.session)
  run('DELETE FROM commands WHERE agent = ? AND session = ?', key.agent, key.session)
  run('DELETE FROM sessions WHERE id = ?', id)
  return events
}

export function sessionNumber(connection: Connection, { agent, session }: SessionKey): number | undefined {
  return connection.get<{ id: number }>(
    'SELECT id FROM sessions WHERE agent = ? AND session = ?',
    agent,
    session,
  )?.id
}
