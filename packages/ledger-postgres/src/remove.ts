import type { SessionKey } from '@remora/ledger'
import type { Queries } from './connection.ts'
import { removeCalls } from './update-calls.ts'
import { hashSession } from './hash.ts'
import { lockProgress } from './derived-steps.ts'

/**
 * Deletes everything that is stored of a locked session, inside a transaction. Returns the number of events. Indexing
 * waits meanwhile, so that nothing is derived from deleted events.
 */
export async function removeSession(queries: Queries, id: number, key: SessionKey): Promise<number> {
  await removeCalls(queries, id)
  await lockProgress(queries, 'indexed')
  await queries.run('DELETE FROM words WHERE seq IN (SELECT seq FROM documents WHERE session_id = $1)', id)
  await queries.run('DELETE FROM documents WHERE session_id = $1', id)
  // Messages that a fork has as well are counted there instead.
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

/** A session may have asks and commands before it has events. */
export async function removeAsksAndCommands(queries: Queries, key: SessionKey): Promise<void> {
  for (const table of ['asks', 'commands'])
    await queries.run(`DELETE FROM ${table} WHERE session_key = $1`, hashSession(key))
}
