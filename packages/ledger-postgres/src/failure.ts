import { type ErrorCode, RemoraError } from '@remora/protocol/plain'
import { type Address, describeAddress } from './config.ts'

interface Reason {
  readonly code: ErrorCode
  readonly what: string
  readonly hint: string
}

/** Turns a database error into one that says what to do. @example throw explain(error, address) */
export function explain(error: unknown, address: Address): Error {
  if (!(error instanceof Error) || RemoraError.is(error)) return error as Error
  const reason = findReason(error, address)
  if (reason === undefined) return error
  const { code, what, hint } = reason
  return new RemoraError(code, `${what}: ${describeAddress(address)} (${getMessage(error)})`, {
    hint,
    cause: error,
  })
}

/** Whether the database could not be reached or the connection was lost. */
export function isOffline(error: unknown): boolean {
  const cause = getCause(error)
  const code = getErrorCode(cause)
  // An SQLSTATE, or the name of a system error.
  if (code !== undefined) return /^(?:08|57P0|25P03|E(?!RR_))/.test(code)
  return cause instanceof Error && lost.test(cause.message)
}

/** Whether another writer was in the way, so that a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(getErrorCode(getCause(error)) ?? '')
}

/** Whether the failure may pass by itself. */
export function isTransient(error: unknown): boolean {
  return (
    isOffline(error) ||
    (RemoraError.is(error) && ['overloaded', 'conflict', 'timeout_total'].includes(error.code))
  )
}

/** Messages of node-postgres for a closed connection; these errors have no code. */
const lost =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired|Cannot use a pool)/

function findReason(error: Error, { host, port, database, user }: Address): Reason | undefined {
  const code = getErrorCode(error) ?? ''
  if (code === '28P01' || code === '28000' || /password must be a string|no password/.test(error.message))
    return {
      code: 'auth',
      what: `${user} may not log in`,
      hint: `Check the user and the password for ${database} at ${host}, and what pg_hba.conf there allows.`,
    }
  if (code === '3D000')
    return {
      code: 'config',
      what: 'There is no such database',
      hint: `Make it first: createdb -h ${host} -p ${port} ${database}`,
    }
  if (code === '42501')
    return {
      code: 'permission',
      what: `${user} has no right to do this`,
      hint: `Let ${user} own the database, or run there: GRANT CREATE, USAGE ON SCHEMA public TO "${user}"`,
    }
  if (code === '25006')
    return {
      code: 'permission',
      what: 'This server takes no writes',
      hint: 'Name the primary server, not a copy of it that is for reading.',
    }
  if (code === '53300' || error.message.startsWith('timeout exceeded when trying to connect'))
    return {
      code: 'overloaded',
      what: 'There is no connection left',
      hint: 'Try again in a moment, or raise max_connections of the server.',
    }
  if (code === '53100')
    return {
      code: 'unknown',
      what: 'The disk of the database is full, nothing was stored',
      hint: 'Free some space there and try again.',
    }
  if (isConflict(error) || code === '55P03')
    return { code: 'conflict', what: 'Another process is writing', hint: 'Try again in a moment.' }
  if (code === '57014')
    return {
      code: 'timeout_total',
      what: 'The database took too long',
      hint: 'Try again; if that stays so, look at what else it is doing (pg_stat_activity).',
    }
  if (isOffline(error))
    return {
      code: 'network',
      what: 'The database cannot be reached',
      hint: `Check that PostgreSQL runs at ${host}, port ${port}, and that ${database} can be reached from here; then try again.`,
    }
  if (/SSL|certificate/.test(error.message))
    return {
      code: 'network',
      what: 'No safe connection could be made',
      hint: `Check sslmode in the address, and the certificate of ${host}.`,
    }
  return code === ''
    ? undefined
    : { code: 'unknown', what: 'The database failed', hint: 'Try again; `remora doctor` may say more.' }
}

/** A failure of all addresses (IPv4, IPv6) has no message of its own. */
function getMessage(error: Error): string {
  const errors = (error as { errors?: unknown }).errors
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  return error.message || (first instanceof Error ? first.message : getErrorCode(error)) || error.name
}

function getErrorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

function getCause(error: unknown): unknown {
  return RemoraError.is(error) && error.cause !== undefined ? error.cause : error
}
