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
 * Opens a database of another program for reading. Every query is a short reading transaction of its own, which does
 * not stand in a writer's way.
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

/** More than this is not read into memory. */
const mostCopied = 32_000_000

/**
 * The whole file, where to open it could be in its program's way; else undefined. A database that was just made has no
 * log beside it, and its program must be alone with it for a moment to have one. And where nobody has it open, the first
 * who opens it locks it for a moment, which its program, just being started, may not wait for: OpenCode ends then with
 * "database is locked".
 */
function readCopy(path: string): Buffer | undefined {
  const isLogged = hasLog(path)
  if (isLogged && (isOpen(path) || statSync(path).size > mostCopied)) return undefined
  const copy = readFileSync(path)
  // Somebody has opened it meanwhile, and may have written.
  if (isLogged && isOpen(path)) return undefined
  // The copy has no log beside it.
  if (isLogged) copy.fill(1, 18, 20)
  return copy
}

/** Whether a log belongs to it, which its header tells. */
function hasLog(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(20)
    return readSync(file, header, 0, 20, 0) === 20 && header[18] === 2 && header[19] === 2
  } finally {
    closeSync(file)
  }
}

/** The last one to close it takes these away. */
function isOpen(path: string): boolean {
  return existsSync(`${path}-shm`) || existsSync(`${path}-wal`)
}

/** Not every driver opens a database in memory, so the copy gets a private file, which is deleted as soon as it is open. */
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
