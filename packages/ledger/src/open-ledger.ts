import type { Ledger } from './ledger.ts'
import { SqliteLedger } from './sqlite/ledger.ts'
import { connect } from './sqlite/open.ts'

export interface OpenLedgerOptions {
  /** The database; it is made if it does not exist, for the user's eyes only. */
  readonly file: string
  /** The present time in milliseconds, for leases. */
  readonly now?: () => number
}

/**
 * Opens the ledger in a file.
 *
 * @example const ledger = await openLedger({ file: '/home/me/.remora/ledger.db' })
 */
export async function openLedger({ file, now = Date.now }: OpenLedgerOptions): Promise<Ledger> {
  return new SqliteLedger(await connect({ file }), now)
}
