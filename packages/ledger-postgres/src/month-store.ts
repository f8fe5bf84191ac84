import { RemoraError } from '@remora/protocol/plain'
import type {
  Archive,
  ArchiveFields,
  ArchivedSession,
  MonthEntry,
  MonthStore,
  SessionKey,
} from '@remora/ledger'
import { type Clock, buildNowSql, readClock } from './clock.ts'
import type { Connection } from './connection.ts'
import { hashSession } from './hash.ts'
import { type MonthTable, detachMonth, gracePeriodMs, listMonths } from './months.ts'
import { readTable } from './read.ts'

const pageEvents = 1000
/** Sessions whose index rows are deleted in one statement. */
const stepSessions = 200

/** The months as tables: partitions of the events, or detached. */
export function createMonthStore(connection: Connection, clock: Clock): MonthStore {
  return {
    async list(endedMs = 0) {
      const entries: MonthEntry[] = []
      for (const { table, state, endedMs: ended } of await listMonths(connection)) {
        // A month that is being detached is invisible to readers, so it must be finished.
        if (state === 'attached' && ended < Math.max(endedMs, gracePeriodMs)) continue
        const size = await connection.get<Pick<MonthEntry, 'events' | 'bytes'>>(
          `SELECT count(*) AS events,
             coalesce(sum(octet_length(e.body) + coalesce(octet_length(e.raw), 0)), 0) AS bytes
           FROM ${table} e JOIN sessions s ON s.id = e.session_id`,
        )
        if (size!.events > 0 || state !== 'attached') entries.push({ month: toMonthName(table), ...size! })
      }
      return entries
    },
    read: (month, after = 0) => readTable(connection, toTableName(month), after, pageEvents),
    note: (archive, sessions) => noteArchive(connection, clock, archive, sessions),
    async detach(month) {
      const months = await listMonths(connection)
      // PostgreSQL detaches one partition at a time, so an interrupted one is finished first.
      const due = [...months.filter(({ state }) => state === 'pending'), findMonth(months, month)]
      for (const each of new Set(due)) await detachMonth(connection, each)
    },
    async drop(archive) {
      const month = findMonth(await listMonths(connection), archive.month)
      if (month.state !== 'out')
        throw new RemoraError('usage', `${archive.month} is not detached from the ledger`)
      await deleteWords(connection, month.table)
      await connection.write(async (queries) => {
        const own = await queries.run(
          'UPDATE archives SET dropped = TRUE WHERE id = $1 AND NOT dropped',
          archive.id,
        )
        if (own === 0) throw createTakenOverError(archive.month)
        await queries.run(`DROP TABLE ${month.table}`)
      })
    },
    archives: (session) => readArchives(connection, session),
  }
}

/**
 * Deletes the index rows of a dropped month. No process indexes these events any more, since detaching waited for
 * running steps.
 */
async function deleteWords(connection: Connection, table: string): Promise<void> {
  const sessions = await connection.all<{ id: number }>(
    `SELECT DISTINCT session_id AS id FROM ${table} ORDER BY 1`,
  )
  const ids = sessions.map(({ id }) => id)
  for (let from = 0; from < ids.length; from += stepSessions)
    await connection.run(
      `WITH gone AS (
         DELETE FROM documents d USING ${table} e
         WHERE d.session_id = ANY($1::bigint[]) AND e.session_id = d.session_id AND e.seq = d.seq RETURNING d.seq
       ) DELETE FROM words w USING gone WHERE w.seq = gone.seq`,
      ids.slice(from, from + stepSessions),
    )
}

function findMonth(months: readonly MonthTable[], month: string): MonthTable {
  const table = toTableName(month)
  const known = months.find((each) => each.table === table)
  if (!known) throw new RemoraError('not_found', `This ledger has no events of ${month}`)
  return known
}

/** @example toTableName('2026-08') // 'events_2026_08' */
function toTableName(month: string): string {
  if (!/^\d{4}-\d{2}$/.test(month)) throw new RemoraError('usage', `Invalid month: ${month}`)
  return `events_${month.replace('-', '_')}`
}

function toMonthName(table: string): string {
  return table.slice('events_'.length).replace('_', '-')
}

function createTakenOverError(month: string): RemoraError {
  return new RemoraError('conflict', `Another process is archiving ${month}`, {
    hint: 'Nothing was dropped. Check the result: remora data archives',
  })
}

/** The columns of an archive; of one session if `of` says so. */
const columns = (of: string): string =>
  `a.id, a.month, a.file, a.machine, a.digest, a.at, a.dropped,
   coalesce(sum(s.events), 0) AS events, count(s.session_id) AS sessions
   FROM archives a ${of} JOIN archived_sessions s ON s.archive_id = a.id`

/** Replaces the row of a month that is not dropped yet, so that the process that wrote the old row drops nothing. */
function noteArchive(
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
      `INSERT INTO archives (month, file, machine, digest, at) VALUES ($1, $2, $3, $4, ${buildNowSql('$5')}) RETURNING id`,
      month,
      file,
      machine,
      digest,
      readClock(clock),
    ))!
    await queries.run(
      `INSERT INTO archived_sessions (session_id, archive_id, events)
       SELECT s.id, $1::bigint, n.events FROM unnest($2::uuid[], $3::bigint[]) n (key, events)
       JOIN sessions s ON s.key = n.key`,
      id,
      sessions.map(hashSession),
      sessions.map(({ events }) => events),
    )
    return (await queries.get<Archive>(`SELECT ${columns('LEFT')} WHERE a.id = $1 GROUP BY a.id`, id))!
  })
}

function readArchives(connection: Connection, session?: SessionKey): Promise<Archive[]> {
  const order = 'GROUP BY a.id ORDER BY a.month, a.id'
  if (!session) return connection.all<Archive>(`SELECT ${columns('LEFT')} ${order}`)
  return connection.all<Archive>(
    `SELECT ${columns('')} WHERE s.session_id = (SELECT id FROM sessions WHERE key = $1) ${order}`,
    hashSession(session),
  )
}
