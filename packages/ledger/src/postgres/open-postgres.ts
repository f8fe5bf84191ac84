import type { Ledger } from '../ledger.ts'
import { PostgresLedger } from './ledger.ts'
import { type ConnectOptions, connect } from './open.ts'

interface PostgresOptions extends ConnectOptions {
  readonly now?: () => number
  readonly node?: string
  readonly spool?: string
}

/** Opens the ledger in a PostgreSQL database. */
export async function openPostgres(options: PostgresOptions): Promise<Ledger> {
  const connection = await connect(options)
  connection.node = options.node
  return new PostgresLedger(connection, options.now, options.spool)
}
