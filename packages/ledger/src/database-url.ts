import { RemoraError } from '@remora/protocol/plain'

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
