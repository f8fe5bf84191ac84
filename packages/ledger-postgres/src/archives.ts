import type { Archive, ArchiveFields, ArchivedSession, SessionKey } from '@remora/ledger'
import { type Clock, nowIn, told } from './clock.ts'
import type { Connection } from './connection.ts'
import { sessionHash } from './hash.ts'

/** What is told of an archive; of one session where `of` says so. */
const columns = (of: string): string =>
  `a.id, a.month, a.file, a.machine, a.digest, a.at, a.dropped,
   coalesce(sum(s.events), 0) AS events, count(s.session_id) AS sessions
   FROM archives a ${of} JOIN archived_sessions s ON s.archive_id = a.id`

/** The row of a month that is still here takes the place of the one before: who has written that one drops nothing. */
export function noteArchive(
  connection: Connection,
  clock: Clock,
  { month, file, machine, digest }: ArchiveFields,
  sessions: readonly ArchivedSession[],
): Promise<Archive> {
  return connection.write(async (queries) => {
    await queries.run(
      `DELETE FROM archived_sessions WHERE archive_id IN (SELECT id FROM archives WHERE month = $1 AND NOT dropped)`,
      month,
    )
    await queries.run('DELETE FROM archives WHERE month = $1 AND NOT dropped', month)
    const { id } = (await queries.get<{ id: number }>(
      `INSERT INTO archives (month, file, machine, digest, at) VALUES ($1, $2, $3, $4, ${nowIn('$5')}) RETURNING id`,
      month,
      file,
      machine,
      digest,
      told(clock),
    ))!
    await queries.run(
      `INSERT INTO archived_sessions (session_id, archive_id, events)
       SELECT s.id, $1::bigint, n.events FROM unnest($2::uuid[], $3::bigint[]) n (key, events)
       JOIN sessions s ON s.key = n.key`,
      id,
      sessions.map(sessionHash),
      sessions.map(({ events }) => events),
    )
    return (await queries.get<Archive>(`SELECT ${columns('LEFT')} WHERE a.id = $1 GROUP BY a.id`, id))!
  })
}

export function readArchives(connection: Connection, session?: SessionKey): Promise<Archive[]> {
  const order = 'GROUP BY a.id ORDER BY a.month, a.id'
  if (!session) return connection.all<Archive>(`SELECT ${columns('LEFT')} ${order}`)
  return connection.all<Archive>(
    `SELECT ${columns('')} WHERE s.session_id = (SELECT id FROM sessions WHERE key = $1) ${order}`,
    sessionHash(session),
  )
}
