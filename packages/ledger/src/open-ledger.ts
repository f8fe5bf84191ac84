import type { ArchiveLabel, Ledger } from './ledger.ts'
import { SqliteLedger } from './sqlite/ledger.ts'
import { connect } from './sqlite/open.ts'

/** Where a ledger is: in a file of this machine, or in a database that several machines share. */
export type LedgerPlace =
  | {
      /** The database; it is made if it does not exist, for the user's eyes only. */
      readonly file: string
      /** Makes it an archive, or goes on with one: what it is of. One that is something else is refused. */
      readonly archiveOf?: ArchiveLabel
    }
  | {
      /** The address of a PostgreSQL database; its tables are made if they do not exist. */
      readonly url: string
      /** A folder for what cannot be stored while the database is away; without one it is refused then. */
      readonly spool?: string
    }

export type OpenLedgerOptions = LedgerPlace & {
  /** The present time in milliseconds, for leases. A database that is shared tells the time itself by default. */
  readonly now?: () => number
  /** The machine that this process writes for, where several share the ledger. */
  readonly node?: string
}

/**
 * Opens the ledger in a file, or in a database.
 *
 * @example const ledger = await openLedger({ file: '/home/me/.remora/ledger.db' })
 * @example const ledger = await openLedger({ url: 'postgres://me@db.example/remora' })
 */
export async function openLedger(options: OpenLedgerOptions): Promise<Ledger> {
  const { now, node } = options
  if ('file' in options) {
    const connection = await connect(options)
    try {
      return new SqliteLedger(connection, now ?? Date.now, { node, archiveOf: options.archiveOf })
    } catch (error) {
      connection.database.close()
      throw error
    }
  }
  // Loaded here only: who keeps the ledger in a file does not pay for it.
  const { openPostgres } = await import('./postgres/open-postgres.ts')
  return openPostgres(options)
}
