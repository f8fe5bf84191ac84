import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
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
    // A program that has just made its database must be alone with it for a moment, to have readers beside it later.
    sqlite = takesReaders(path)
      ? new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
      : new Database(readFileSync(path), { readonly: true })
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

/** Whether the database has a log beside it, which its header tells: only then readers are in nobody's way. */
function takesReaders(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(20)
    return readSync(file, header, 0, 20, 0) === 20 && header[18] === 2 && header[19] === 2
  } finally {
    closeSync(file)
  }
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
