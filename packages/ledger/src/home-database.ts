import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

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

/**
 * Checks a database URL; throws `config` naming where it was configured. The value is never shown, since it may hold a
 * password.
 *
 * @example checkDatabase(env.REMORA_DATABASE_URL, 'REMORA_DATABASE_URL')
 */
export function checkDatabase(value: unknown, where: string): string {
  if (typeof value === 'string' && parseUrl(value)) return value
  throw new RemoraError('config', `${where} is not a database URL`, {
    hint: 'Use postgres://user:password@host:5432/database, and write @ and / in a password as %40 and %2F.',
  })
}

/**
 * Describes where a database is, without its password.
 *
 * @example describeDatabase('postgres://ann:secret@db.example:5432/remora') // 'remora at db.example:5432'
 */
export function describeDatabase(address: string): string {
  const url = parseUrl(address)
  if (!url) return 'an invalid database URL'
  if (url.protocol === 'file:') return decodeURIComponent(url.pathname)
  // A socket folder is given as the `host` parameter.
  const host = url.searchParams.get('host') ?? (url.hostname || 'localhost')
  const location = url.port ? `${host}:${url.port}` : host
  const name =
    decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username) || 'the default database'
  return `${name} at ${location}`
}

function parseUrl(address: string): URL | undefined {
  if (!/^(?:postgres(?:ql)?:\/\/|file:\/\/\/)/.test(address)) return undefined
  try {
    // PostgreSQL allows a user name before an empty host.
    const url = new URL(address.replace('@/', '@localhost/'))
    decodeURIComponent(url.pathname + url.username)
    return url
  } catch {
    return undefined
  }
}
