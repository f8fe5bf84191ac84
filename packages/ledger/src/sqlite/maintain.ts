import { rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { randomUUID } from 'node:crypto'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { openSqlite } from '@remora/sqlite'
import { claimFile } from '../model/claim-file.ts'
import type { LedgerSize, Pruned, SessionKey } from '../model/ledger.ts'
import { redact } from './audit.ts'
import type { Connection } from './connection.ts'
import { explain } from './failure.ts'
import { removeSession, removeAsksAndCommands, findSessionId } from './remove.ts'

/** Deletes a session and its text from the file, and remembers not to store it again. */
export async function forgetSession(
  connection: Connection,
  key: SessionKey,
  now: number,
  removed: () => void,
): Promise<boolean> {
  // Overwrites every deleted byte.
  connection.database.pragma('secure_delete = ON')
  const { found, redacted } = await connection.write(() => {
    removed()
    const id = findSessionId(connection, key)
    if (id === undefined) removeAsksAndCommands(connection, key)
    else removeSession(connection, id, key)
    const redacted = redact(connection, now, key)
    connection.statement('INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?)').run(key.agent, key.session, now)
    return { found: id !== undefined, redacted }
  })
  if (found || redacted) await reclaim(connection)
  connection.database.pragma('secure_delete = FAST')
  return found
}

/** Deletes archived sessions that are not pinned. */
export async function pruneSessions(
  connection: Connection,
  { before, dryRun = false }: { readonly before: number; readonly dryRun?: boolean },
  removed: () => void,
): Promise<Pruned> {
  const rows = connection.all<SessionKey & { id: number; events: number; bytes: number }>(
    `SELECT s.id, s.agent, s.session, count(e.seq) AS events,
       coalesce(sum(length(CAST(e.body AS BLOB)) + coalesce(length(CAST(e.raw AS BLOB)), 0)), 0) AS bytes
     FROM sessions s LEFT JOIN events e ON e.session_id = s.id
     WHERE s.archived_at IS NOT NULL AND s.updated_at < ? AND s.pinned = 0
     GROUP BY s.id`,
    before,
  )
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const pruned = { sessions: rows.length, events: sum(rows.map(({ events }) => events)) }
  if (dryRun || rows.length === 0) return { ...pruned, bytes: sum(rows.map(({ bytes }) => bytes)) }
  const { bytes } = await measure(connection)
  for (const row of rows)
    await connection.write(() => {
      removed()
      removeSession(connection, row.id, row)
    })
  await reclaim(connection)
  return { ...pruned, bytes: Math.max(0, bytes - (await measure(connection)).bytes) }
}

/**
 * Removes deleted text from the index, overwrites free pages and returns them to the disk, in short steps. The index
 * keeps the words of deleted rows until its segments are merged.
 */
async function reclaim(connection: Connection): Promise<void> {
  const { database } = connection
  const pages = (): number => database.pragma('freelist_count') as number
  const countChanges = (): number =>
    connection.statement<{ total: number }>('SELECT total_changes() AS total').get()!.total
  for (let first = true, merged = true; merged; first = false) {
    merged = await connection.write(() => {
      const before = countChanges()
      connection
        .statement(`INSERT INTO search (search, rank) VALUES ('merge', ?)`)
        .run(first ? -mergeStep : mergeStep)
      // FTS5 reports fewer than two changes when there is nothing left to merge.
      return countChanges() - before >= 2
    })
    await yieldToOthers()
  }
  while (pages() > 0) {
    await connection.write(() => database.pragma(`incremental_vacuum(${vacuumStep})`))
    await yieldToOthers()
  }
  // The log holds deleted text as well. Truncating it fails silently while another process reads.
  database.pragma('wal_checkpoint(TRUNCATE)')
}

/** In pages of the index and of the file. */
const mergeStep = 500
const vacuumStep = 1000

/** The size of the files and the number of rows. */
export async function measure(connection: Connection): Promise<LedgerSize> {
  const { file } = connection
  const sizes = [file, `${file}-wal`].map(async (path) => (await stat(path).catch(() => ({ size: 0 }))).size)
  const [main, log] = await Promise.all(sizes)
  const counts = connection.get<{ events: number; sessions: number }>(
    'SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM sessions) AS sessions',
  )!
  return { bytes: main! + log!, ...counts }
}

/**
 * Copies everything into a new file. The copy gets its own epoch: cursors of this ledger would point to other events
 * once either one has grown.
 */
export async function backup(connection: Connection, target: string): Promise<void> {
  const file = resolve(target)
  await claimFile(file).catch((error: unknown) => {
    throw explain(error, file)
  })
  try {
    await connection.database.backup(file)
    const copy = openSqlite(file)
    copy.prepare(`UPDATE meta SET value = ? WHERE name = 'epoch'`).run(randomUUID())
    // Leaves one file, with no log next to it.
    copy.pragma('journal_mode = DELETE')
    copy.close()
  } catch (error) {
    await rm(file, { force: true })
    throw explain(error, file)
  }
}
