import type { SessionKey } from '@remora/ledger'
import type { Queries } from './connection.ts'
import { removeCalls } from './update-calls.ts'
import { hashSession } from './hash.ts'
import { lockProgress } from './derived-steps.ts'

/**
 * Deletes all that is stored of a session, inside a transaction that holds it. Tells how many events there were. Full text
 * and calls are not made meanwhile, so that nothing is made of what goes.
 */
export async function removeSession(queries: Queries, id: number, key: SessionKey): Promise<number> {
  await removeCalls(queries, id)
  await lockProgress(queries, 'indexed')
  await queries.run('DELETE FROM words WHERE seq IN (SELECT seq FROM documents WHERE session_id = $1)', id)
  await queries.run('DELETE FROM documents WHERE session_id = $1', id)
  // What another session held as well counts there from now on.
  await queries.run(
    `UPDATE sessions SET usage_stale = TRUE WHERE NOT usage_stale AND id IN (
       SELECT o.session_id FROM usages u JOIN usages o ON o.entity = u.entity AND o.rank = 0
       WHERE u.session_id = $1 AND u.rank = 0 AND o.session_id <> $1
     )`,
    id,
  )
  await queries.run(
    'DELETE FROM origins WHERE source_id IN (SELECT id FROM sources WHERE session_id = $1)',
    id,
  )
  const events = await queries.run('DELETE FROM events WHERE session_id = $1', id)
  for (const table of ['messages', 'usages', 'usage_slots', 'sources', 'archived_sessions'])
    await queries.run(`DELETE FROM ${table} WHERE session_id = $1`, id)
  await removeAsksAndCommands(queries, key)
  await queries.run('DELETE FROM sessions WHERE id = $1', id)
  return events
}

/** Asks and commands may be there of a session that has told nothing yet. */
export async function removeAsksAndCommands(queries: Queries, key: SessionKey): Promise<void> {
  for (const table of ['asks', 'commands'])
    await queries.run(`DELETE FROM ${table} WHERE session_key = $1`, hashSession(key))
}
