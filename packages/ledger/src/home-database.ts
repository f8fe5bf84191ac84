import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { checkDatabase } from './database-url.ts'

/** Where the settings of a home are. */
export interface HomeOptions {
  /** The REMORA_HOME folder. */
  readonly remoraHome: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The environment variable that overrides the setting. */
export const databaseVariable = 'REMORA_DATABASE_URL'

/**
 * The URL of the shared database, if one is configured. It may contain a password: see describeDatabase.
 *
 * @example const isShared = (await readHomeDatabase({ remoraHome, env })) !== undefined
 */
export async function readHomeDatabase({ remoraHome, env }: HomeOptions): Promise<string | undefined> {
  const variable = env[databaseVariable]
  if (variable) return checkDatabase(variable, databaseVariable)
  const file = join(remoraHome, 'config.json')
  const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return ''
    // If the folder itself is not accessible, opening the ledger reports that better.
    if (await stat(remoraHome).then(() => false, isForbidden)) return ''
    throw new RemoraError('config', `Cannot read ${file}: ${error.message}`, {
      hint: 'Check the file and its permissions, or use another REMORA_HOME.',
      cause: error,
    })
  })
  // Most homes have no such setting and need not load the parser.
  if (!text.includes('"database"')) return undefined
  const { parse } = await import('jsonc-parser')
  const settings = parse(text, [], { allowTrailingComma: true }) as { database?: unknown } | undefined
  const value = settings?.database
  return value === undefined ? undefined : checkDatabase(value, `database in ${file}`)
}

function isForbidden(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EACCES'
}
