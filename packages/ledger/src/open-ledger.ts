import type { ArchiveLabel, Ledger } from './model/ledger.ts'
import { SqliteLedger } from './sqlite/ledger.ts'
import { connect } from './sqlite/open.ts'

/** Options of `openLedger`. */
export interface OpenLedgerOptions {
  /** The SQLite file. It is created with mode 0600 if it does not exist. */
  readonly file: string
  /** Creates or continues an archive of this month. A file that holds something else is refused. */
  readonly archiveOf?: ArchiveLabel
  /** The present time in milliseconds, for leases. */
  readonly now?: () => number
  /** The machine that this process writes for, where several share the file. */
  readonly node?: string
}

/**
 * Opens the ledger in a SQLite file.
 *
 * @example const ledger = await openLedger({ file: '/home/me/.remora/ledger.db' })
 */
export async function openLedger(options: OpenLedgerOptions): Promise<Ledger> {
  const { now = Date.now, node, archiveOf } = options
  const connection = await connect(options)
  try {
    return new SqliteLedger(connection, now, { node, archiveOf })
  } catch (error) {
    connection.database.close()
    throw error
  }
}
