import { RemoraError } from '@remora/protocol/plain'
import { openWithBetter } from './better-driver.ts'
import { SqliteDatabase } from './database.ts'
import { hasNodeSqlite, openWithNode } from './node-driver.ts'

/** Options of `openSqlite`. */
export interface OpenOptions {
  /** Opens a file that must exist, and never writes to it. */
  readonly readOnly?: boolean
  /** How long a statement waits for a lock of another connection. None by default. */
  readonly timeoutMs?: number
}

/**
 * Opens a database file, and creates it if it does not exist. Uses `node:sqlite`, or better-sqlite3 where Node
 * has none with full text search. `REMORA_SQLITE=node` or `REMORA_SQLITE=better` chooses one of them.
 *
 * @example const database = openSqlite('/home/me/notes.db', { readOnly: true })
 */
export function openSqlite(
  file: string,
  { readOnly = false, timeoutMs = 0 }: OpenOptions = {},
): SqliteDatabase {
  const open = chooseDriver() === 'node' ? openWithNode : openWithBetter
  const database = new SqliteDatabase(open(file, { readOnly }))
  database.pragma(`busy_timeout = ${timeoutMs}`)
  return database
}

function chooseDriver(): 'node' | 'better' {
  const choice = process.env['REMORA_SQLITE']
  if (choice === undefined || choice === '') return hasNodeSqlite() ? 'node' : 'better'
  if (choice === 'better') return choice
  if (choice !== 'node')
    throw new RemoraError('config', `REMORA_SQLITE is ${choice}`, { hint: 'Set it to node or better.' })
  if (!hasNodeSqlite())
    throw new RemoraError('config', `Node ${process.versions.node} has no SQLite with full text search`, {
      hint: 'Use Node 22.16 or newer, or unset REMORA_SQLITE.',
    })
  return choice
}
