import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { RemoraError } from '@remora/protocol/plain'
import type { DatabaseRows } from '../../agent.ts'
import type { AgentRecord } from '../../read-record.ts'

/** As much of better-sqlite3 as we use; it is optional, and only agents that keep a database need it. */
interface Sqlite {
  prepare(sql: string): { iterate(...parameters: unknown[]): IterableIterator<AgentRecord> }
  pragma(sql: string): unknown
  close(): void
}
type Open = new (path: string | Buffer, options: object) => Sqlite

/**
 * Opens a database of another program for reading. Every query is a short reading transaction of its own, which does
 * not stand in a writer's way.
 *
 * @example using database = await openDatabase(path)
 */
export async function openDatabase(path: string): Promise<DatabaseRows & Disposable> {
  const Database = await load()
  let sqlite: Sqlite
  try {
    const copy = copyOf(path)
    sqlite = copy
      ? new Database(copy, { readonly: true })
      : new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
  } catch (cause) {
    throw new RemoraError('input', `${path} cannot be opened as a database`, {
      hint: 'Check that the file exists and that you may read it.',
      cause,
    })
  }
  return {
    rows: (sql, ...parameters) => sqlite.prepare(sql).iterate(...parameters),
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
function copyOf(path: string): Buffer | undefined {
  const isLogged = hasLog(path)
  if (isLogged && (isOpen(path) || statSync(path).size > mostCopied)) return undefined
  const copy = readFileSync(path)
  // Somebody has opened it meanwhile, and may have written.
  if (isLogged && isOpen(path)) return undefined
  // In memory there is no log.
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

async function load(): Promise<Open> {
  try {
    // By a name that the compiler does not follow: there is nothing to check where it is not installed.
    const name = 'better-sqlite3'
    const module = (await import(name)) as { default: Open }
    return module.default
  } catch (cause) {
    throw new RemoraError('unsupported', 'Sessions that are kept in a database need better-sqlite3', {
      hint: 'Install it: npm install better-sqlite3',
      cause,
    })
  }
}
