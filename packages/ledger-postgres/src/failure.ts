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
      what: `${user} cannot log in`,
      hint: `Check the user and password for ${database} at ${host}, and its pg_hba.conf.`,
    }
  if (code === '3D000')
    return {
      code: 'config',
      what: 'There is no such database',
      hint: `Create it: createdb -h ${host} -p ${port} ${database}`,
    }
  if (code === '42501')
    return {
      code: 'permission',
      what: `${user} lacks permission`,
      hint: `Make ${user} the owner of the database, or run: GRANT CREATE, USAGE ON SCHEMA public TO "${user}"`,
    }
  if (code === '25006')
    return {
      code: 'permission',
      what: 'The database server is read-only',
      hint: 'Use the primary server instead of a standby.',
    }
  if (code === '53300' || error.message.startsWith('timeout exceeded when trying to connect'))
    return {
      code: 'overloaded',
      what: 'The database has no free connections',
      hint: 'Retry in a moment, or raise max_connections on the server.',
    }
  if (code === '53100')
    return {
      code: 'unknown',
      what: 'The disk of the database is full; nothing was stored',
      hint: 'Free some space there and retry.',
    }
  if (isConflict(error) || code === '55P03')
    return { code: 'conflict', what: 'Another process is writing', hint: 'Retry in a moment.' }
  if (code === '57014')
    return {
      code: 'timeout_total',
      what: 'The database timed out',
      hint: 'Retry. If it happens again, check pg_stat_activity.',
    }
  if (isOffline(error))
    return {
      code: 'network',
      what: 'The database cannot be reached',
      hint: `Check that PostgreSQL runs at ${host}, port ${port}, and that this computer can connect to ${database}.`,
    }
  if (/SSL|certificate/.test(error.message))
    return {
      code: 'network',
      what: 'The TLS connection failed',
      hint: `Check sslmode in the URL, and the certificate of ${host}.`,
    }
  return code === ''
    ? undefined
    : { code: 'unknown', what: 'The database failed', hint: 'Retry, or check with: remora doctor' }
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
