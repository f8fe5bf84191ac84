import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { checkDatabase } from './database-url.ts'

export interface HomeOptions {
  /** The folder of all state: REMORA_HOME. */
  readonly remoraHome: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The variable that beats the settings. */
export const databaseVariable = 'REMORA_DATABASE_URL'

/**
 * The address of the database that machines share, if there is one. It may have a password in it: see describeDatabase.
 *
 * @example const isShared = (await readHomeDatabase({ remoraHome, env })) !== undefined
 */
export async function readHomeDatabase({ remoraHome, env }: HomeOptions): Promise<string | undefined> {
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
