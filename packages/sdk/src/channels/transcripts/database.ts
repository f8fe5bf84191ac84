import { RemoraError } from '@remora/protocol/plain'
import type { DatabaseRows } from '../../agent.ts'
import type { AgentRecord } from '../../read-record.ts'

/** As much of better-sqlite3 as we use; it is optional, and only agents that keep a database need it. */
interface Sqlite {
  prepare(sql: string): { iterate(...parameters: unknown[]): IterableIterator<AgentRecord> }
  pragma(sql: string): unknown
  close(): void
}
type Open = new (path: string, options: object) => Sqlite

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
    sqlite = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
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
