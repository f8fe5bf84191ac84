import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { type SqliteDatabase, openSqlite } from '@remora/sqlite'
import type { DatabaseRows } from '../../contract/agent.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/**
 * Opens another program's database for reading. Every query is a short read transaction, which does not block a writer.
 *
 * @example using database = await openDatabase(path)
 */
export async function openDatabase(path: string): Promise<DatabaseRows & Disposable> {
  let sqlite: SqliteDatabase
  try {
    const copy = readCopy(path)
    sqlite = copy ? openCopy(copy) : openSqlite(path, { readOnly: true, timeoutMs: 5_000 })
  } catch (cause) {
    if (RemoraError.is(cause)) throw cause
    throw new RemoraError('input', `${path} cannot be opened as a database`, {
      hint: 'Check that the file exists and that you may read it.',
      cause,
    })
  }
  return {
    rows: (sql, ...parameters) => sqlite.prepare<AgentRecord>(sql).iterate(...parameters),
    [Symbol.dispose]: () => sqlite.close(),
  }
}

/** The largest database that is copied to memory. */
const mostCopied = 32_000_000

/**
 * Reads the whole file if opening it could disturb its program; else undefined. A new database has no write-ahead log yet,
 * and creating one needs an exclusive lock. Also, the first process that opens a database locks it briefly; OpenCode does
 * not wait for that at its start and fails with "database is locked".
 */
function readCopy(path: string): Buffer | undefined {
  const isLogged = hasLog(path)
  if (isLogged && (isOpen(path) || statSync(path).size > mostCopied)) return undefined
  const copy = readFileSync(path)
  // Another process has opened it in the meantime and may have written.
  if (isLogged && isOpen(path)) return undefined
  // The copy has no write-ahead log.
  if (isLogged) copy.fill(1, 18, 20)
  return copy
}

/** Whether the header says that the database uses a write-ahead log. */
function hasLog(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(20)
    return readSync(file, header, 0, 20, 0) === 20 && header[18] === 2 && header[19] === 2
  } finally {
    closeSync(file)
  }
}

/** Files that exist while the database is open; the last process to close it deletes them. */
function isOpen(path: string): boolean {
  return existsSync(`${path}-shm`) || existsSync(`${path}-wal`)
}

/** Not every driver opens a database from memory, so the copy is a private file that is deleted once it is open. */
function openCopy(copy: Buffer): SqliteDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'remora-copy-'))
  try {
    const file = join(folder, 'copy.db')
    writeFileSync(file, copy, { mode: 0o600 })
    return openSqlite(file, { readOnly: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
