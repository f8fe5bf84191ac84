import type { LedgerSize, Pruned, SessionKey } from '@remora/ledger'
import { getSessionMarks } from '@remora/ledger/internal'
import { redact } from './audit.ts'
import { buildNowSql, type Clock, readClock } from './clock.ts'
import type { Connection, Queries } from './connection.ts'
import { hashSession } from './hash.ts'
import { lockSession } from './lock-sessions.ts'
import { dropEmptyMonths } from './months.ts'
import { removeCalls } from './update-calls.ts'
import { lockProgress } from './derived-steps.ts'

/** Deletes a session, and remembers not to store it again. */
export async function forgetSession(connection: Connection, key: SessionKey, clock: Clock): Promise<boolean> {
  const { found, redacted } = await connection.write(async (queries) => {
    const found = await forgetEvents(queries, key, clock)
    return { found, redacted: await redact(queries, clock, key) }
  })
  if (found || redacted) await reclaim(connection)
  return found
}

/** The same inside a transaction, without the audit log. */
export async function forgetEvents(queries: Queries, key: SessionKey, clock: Clock): Promise<boolean> {
  const id = await lockSession(queries, key)
  if (id === undefined) await removeAsksAndCommands(queries, key)
  else await removeSession(queries, id, key)
  await queries.run(
    `INSERT INTO forgotten (key, agent, session, at) VALUES ($1, $2, $3, ${buildNowSql('$4')}) ON CONFLICT DO NOTHING`,
    hashSession(key),
    key.agent,
    key.session,
    readClock(clock),
  )
  return id !== undefined
}

const bytesOfEvents = 'coalesce(sum(octet_length(e.body) + coalesce(octet_length(e.raw), 0)), 0)'

/** Matches sessions to prune that were last active before $1. */
const due = 's.archived_at IS NOT NULL AND s.updated_at < $1 AND NOT s.pinned'

/** Deletes archived sessions that are not pinned. */
export async function pruneSessions(
  connection: Connection,
  { before, dryRun = false }: { readonly before: number; readonly dryRun?: boolean },
): Promise<Pruned> {
  const rows = await connection.all<SessionKey & { events: number; bytes: number }>(
    `SELECT s.agent, s.session, count(e.seq) AS events, ${bytesOfEvents} AS bytes
     FROM sessions s LEFT JOIN events e ON e.session_id = s.id WHERE ${due} GROUP BY s.id`,
    before,
  )
  const pruned = { sessions: 0, events: 0, bytes: 0 }
  for (const { agent, session, events, bytes } of rows) {
    const removed = dryRun ? events : await removeDue(connection, { agent, session }, before)
    if (removed === undefined) continue
    pruned.sessions += 1
    pruned.events += removed
    pruned.bytes += bytes
  }
  if (!dryRun && pruned.sessions > 0) await reclaim(connection)
  return pruned
}

/** The number of removed events; undefined if the session was pinned or unarchived meanwhile. */
function removeDue(connection: Connection, key: SessionKey, before: number): Promise<number | undefined> {
  return connection.write(async (queries) => {
    const id = await lockSession(queries, key)
    if (id === undefined) return undefined
    const still = await queries.get(`SELECT 1 FROM sessions s WHERE ${due} AND s.id = $2`, before, id)
    return still === undefined ? undefined : removeSession(queries, id, key)
  })
}

const emptied = ['events', 'words', 'documents', 'origins', 'usages', 'calls', 'call_names', 'audit', 'asks']

/** Frees the space of deleted rows for new ones. Empty months are dropped, which returns their space to the disk. */
async function reclaim(connection: Connection): Promise<void> {
  await dropEmptyMonths(connection)
  // PostgreSQL vacuums by itself later, so a failure does not matter.
  await connection.run(`VACUUM ${emptied.join()}`).catch(() => {})
}

/**
 * The length of all texts. The size on disk would be misleading: it is compressed, and deleted rows still take space.
 */
export async function measure(connection: Connection): Promise<LedgerSize> {
  const size = await connection.get<LedgerSize>(
    `SELECT count(*) AS events, ${bytesOfEvents} AS bytes, (SELECT count(*) FROM sessions) AS sessions FROM events e`,
  )
  return size!
}

/**
 * Deletes everything that is stored of a locked session, inside a transaction. Returns the number of events. Indexing
 * waits meanwhile, so that nothing is derived from deleted events.
 */
async function removeSession(queries: Queries, id: number, key: SessionKey): Promise<number> {
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
  const { head, keys } = getSessionMarks(key)
  // The name of a mark begins with its machine.
  await queries.run('DELETE FROM marks WHERE strpos(name, $1) > 0 OR strpos(name, $2) > 0', head, keys)
  await queries.run('DELETE FROM sessions WHERE id = $1', id)
  return events
}

/** A session may have asks and commands before it has events. */
async function removeAsksAndCommands(queries: Queries, key: SessionKey): Promise<void> {
  for (const table of ['asks', 'commands'])
    await queries.run(`DELETE FROM ${table} WHERE session_key = $1`, hashSession(key))
}
