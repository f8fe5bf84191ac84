import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getOwnNode, type HomeOptions, type Ledger, openLedger, readHomeDatabase } from '@remora/ledger'

/** Options of `openPostgres`. */
export interface OpenPostgresOptions {
  /** The URL of a PostgreSQL database. Its tables are created if they do not exist. */
  readonly url: string
  /** The machine that this process writes for. */
  readonly node?: string
  /** A folder that keeps events while the database is offline. Without one, an append fails then. */
  readonly spool?: string
  /** How many connections this process may open, besides the one that listens for changes. */
  readonly connections?: number
  /** The present time in milliseconds, for leases; the database's own clock by default. */
  readonly now?: () => number
}

/**
 * Opens the ledger in a PostgreSQL database.
 *
 * @example const ledger = await openPostgres({ url: 'postgres://me@db.example/remora' })
 */
export async function openPostgres({ node, spool, now, ...options }: OpenPostgresOptions): Promise<Ledger> {
  // A process whose ledger is a file never loads the engine.
  const [{ connect }, { PostgresLedger }] = await Promise.all([import('./open.ts'), import('./ledger.ts')])
  const connection = await connect(options)
  connection.node = node
  return new PostgresLedger(connection, now, spool)
}

/**
 * Opens the ledger that a REMORA_HOME folder is configured for: its own file, a shared file, or a PostgreSQL database.
 *
 * @example const ledger = await openHome({ remoraHome: '/home/me/.remora', env: process.env })
 */
export async function openHome({ remoraHome, env }: HomeOptions): Promise<Ledger> {
  const database = await readHomeDatabase({ remoraHome, env })
  if (database === undefined) return openLedger({ file: join(remoraHome, 'ledger.db') })
  const { id: node } = await getOwnNode(remoraHome)
  // Several homes of one machine may share a file.
  if (database.startsWith('file:')) return openLedger({ file: fileURLToPath(database), node })
  return openPostgres({ url: database, node, spool: join(remoraHome, 'unsent') })
}
