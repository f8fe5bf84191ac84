import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RemoraError } from '@remora/protocol/plain'
import { checkDatabase } from './database-url.ts'
import type { Ledger } from './ledger.ts'
import { ownNode } from './node-file.ts'
import { openLedger } from './open-ledger.ts'

export interface HomeOptions {
  /** The folder of all state: REMORA_HOME. */
  readonly remoraHome: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The variable that beats the settings. */
export const databaseVariable = 'REMORA_DATABASE_URL'

/**
 * Opens the ledger that a folder of state means: the one in its own file, or the one that several machines share. Nobody
 * else needs to know which.
 *
 * @example const ledger = await openHome({ remoraHome: '/home/me/.remora', env: process.env })
 */
export async function openHome({ remoraHome, env }: HomeOptions): Promise<Ledger> {
  const database = await homeDatabase({ remoraHome, env })
  if (database === undefined) return openLedger({ file: join(remoraHome, 'ledger.db') })
  const { id: node } = await ownNode(remoraHome)
  // Several homes of one machine may share a file.
  if (database.startsWith('file:')) return openLedger({ file: fileURLToPath(database), node })
  return openLedger({ url: database, node, spool: join(remoraHome, 'unsent') })
}

/**
 * The address of the database that machines share, if there is one. It may have a password in it: see describeDatabase.
 *
 * @example const isShared = (await homeDatabase({ remoraHome, env })) !== undefined
 */
export async function homeDatabase({ remoraHome, env }: HomeOptions): Promise<string | undefined> {
  const variable = env[databaseVariable]
  if (variable) return checkDatabase(variable, databaseVariable)
  const file = join(remoraHome, 'config.json')
  const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return ''
    // Where nobody may even look into the folder, what keeps the ledger says so best.
    if (await stat(remoraHome).then(() => false, isForbidden)) return ''
    throw new RemoraError('config', `Cannot read ${file}: ${error.message}`, {
      hint: 'Check the file and its permissions, or point REMORA_HOME somewhere else.',
      cause: error,
    })
  })
  // Most have no such setting, and need not wait for what reads it.
  if (!text.includes('"database"')) return undefined
  const { parse } = await import('jsonc-parser')
  const settings = parse(text, [], { allowTrailingComma: true }) as { database?: unknown } | undefined
  const value = settings?.database
  return value === undefined ? undefined : checkDatabase(value, `database in ${file}`)
}

function isForbidden(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EACCES'
}
