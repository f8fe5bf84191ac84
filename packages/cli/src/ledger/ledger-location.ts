import type { Io } from '../command/io.ts'
import { ledgerPath, remoraHome } from '../home/remora-home.ts'
import { homePath } from '../output/home-path.ts'

type Where = Pick<Io, 'env' | 'home'>

/** The database that this machine shares with others, without its password; undefined where the ledger is its own file. */
export async function sharedDatabase(io: Where): Promise<string | undefined> {
  const { describeDatabase, homeDatabase } = await import('@remora/ledger')
  const url = await homeDatabase({ remoraHome: remoraHome(io), env: io.env })
  return url === undefined ? undefined : describeDatabase(url)
}

/** Where the ledger is, for a person. @example await ledgerPlace(io) // '~/.remora/ledger.db' */
export async function ledgerPlace(io: Where): Promise<string> {
  const shared = await sharedDatabase(io)
  return shared === undefined ? homePath(ledgerPath(io), io.home) : `the database ${shared}`
}
