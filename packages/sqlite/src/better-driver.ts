import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { RemoraError } from '@remora/protocol/plain'
import type { NativeDatabase, SqliteStatement } from './database.ts'
import { getSqliteCode } from './error-code.ts'

/** The part of better-sqlite3 that we use. The package is optional, so its types may be missing. */
interface BetterDatabase {
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  pragma(text: string): object[]
  backup(
    target: string,
    options: { readonly progress: (state: { totalPages: number }) => number },
  ): Promise<unknown>
  close(): unknown
}
type BetterSqlite = new (
  file: string,
  options: { readonly readonly: boolean; readonly fileMustExist: boolean; readonly timeout: number },
) => BetterDatabase

const pagesPerStep = 1000
/** A write of another process restarts the copy, so after this many steps the rest is copied at once. */
const mostSteps = 200

export function openWithBetter(
  file: string,
  { readOnly }: { readonly readOnly: boolean },
  name?: string,
): NativeDatabase {
  const database = construct(file, readOnly, name)
  return {
    prepare: (sql) => database.prepare(sql),
    exec: (sql) => database.exec(sql),
    pragma: (text) => database.pragma(text),
    backup(target) {
      let steps = 0
      return database.backup(target, {
        progress: ({ totalPages }) => (++steps > mostSteps ? totalPages : pagesPerStep),
      })
    },
    close: () => database.close(),
  }
}

/** The constructor loads the native addon, so a missing addon fails here as well. */
function construct(file: string, readOnly: boolean, name = 'better-sqlite3'): BetterDatabase {
  try {
    // Node 20 and 22 do not follow the symbolic link of a package if the last file that was checked is a socket.
    statSync(process.execPath)
    // Not a static import, because the package must be resolved where Remora is installed.
    const Database = createRequire(import.meta.url)(name) as BetterSqlite
    return new Database(file, { readonly: readOnly, fileMustExist: readOnly, timeout: 0 })
  } catch (error) {
    // better-sqlite3 checks the folder before SQLite does.
    if (error instanceof TypeError) throw Object.assign(error, { code: 'SQLITE_CANTOPEN' })
    throw getSqliteCode(error) === undefined ? createLoadError(error) : error
  }
}

function createLoadError(cause: unknown): RemoraError {
  const { code, message } = cause as { code?: unknown; message?: unknown }
  const { node } = process.versions
  if (code === 'MODULE_NOT_FOUND')
    return new RemoraError(
      'config',
      `Node ${node} has no SQLite with full text search, and better-sqlite3 is not installed`,
      {
        hint: 'Use Node 22.16 or newer, or run `npm install better-sqlite3` (with `--global` if Remora is installed globally).',
        cause,
      },
    )
  const reason = String(message).split('\n', 1)[0]
  return new RemoraError('config', `better-sqlite3 cannot be loaded by Node ${node}: ${reason}`, {
    hint: 'Run `npm rebuild better-sqlite3` with this Node, or use Node 22.16 or newer.',
    cause,
  })
}
