import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HomeOptions, type Ledger, readHomeDatabase, openLedger, getOwnNode } from '@remora/ledger'
import { openPostgres } from './open-postgres.ts'

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
