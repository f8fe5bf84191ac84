import type { Io } from '../command/io.ts'
import { ledgerPath, remoraHome } from '../home/remora-home.ts'
import { homePath } from '../output/home-path.ts'

type Where = Pick<Io, 'env' | 'home'>

/** The shared database without its password; undefined if the ledger is a local file. */
export async function sharedDatabase(io: Where): Promise<string | undefined> {
  const { describeDatabase, readHomeDatabase } = await import('@remora/ledger')
  const url = await readHomeDatabase({ remoraHome: remoraHome(io), env: io.env })
  return url === undefined ? undefined : describeDatabase(url)
}

/** Describes where the ledger is. @example await ledgerPlace(io) // '~/.remora/ledger.db' */
export async function ledgerPlace(io: Where): Promise<string> {
  const shared = await sharedDatabase(io)
  return shared === undefined ? homePath(ledgerPath(io), io.home) : `the database ${shared}`
}
