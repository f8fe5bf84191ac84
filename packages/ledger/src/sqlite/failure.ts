import { RemoraError } from '@remora/protocol/plain'
import { getSqliteCode } from '@remora/sqlite'

/** Turns a database error into one that says what to do. @example throw explain(error, file) */
export function explain(error: unknown, file: string): Error {
  if (!(error instanceof Error) || RemoraError.is(error)) return error as Error
  const code = getSqliteCode(error) ?? (error as { code?: unknown }).code
  if (typeof code !== 'string') return error
  const fail = (kind: 'config' | 'permission' | 'conflict' | 'unknown', what: string, hint: string) =>
    new RemoraError(kind, `${what}: ${file} (${error.message})`, { hint, cause: error })
  if (code === 'SQLITE_NOTADB')
    return fail('config', 'This file is no ledger', 'Move it away, or use another REMORA_HOME.')
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'EISDIR')
    return fail('config', 'The ledger cannot be stored here', 'Use another REMORA_HOME.')
  if (code === 'SQLITE_CORRUPT')
    return fail(
      'config',
      'The ledger is damaged',
      'Move the file away and restore a backup, or import again.',
    )
  if (code === 'SQLITE_BUSY')
    return fail('conflict', 'The ledger is in use by another process', 'Retry in a moment.')
  if (code === 'SQLITE_CANTOPEN' || code === 'EACCES' || code === 'EPERM')
    return fail('permission', 'The ledger cannot be opened', 'Check who owns the file and its folder.')
  if (code === 'SQLITE_READONLY' || code === 'EROFS')
    return fail('permission', 'The ledger cannot be written', 'Check who owns the file and its folder.')
  if (code === 'SQLITE_FULL' || code === 'ENOSPC')
    return fail('unknown', 'The disk is full; nothing was stored', 'Free some space and retry.')
  return code.startsWith('SQLITE_')
    ? fail('unknown', 'The ledger failed', 'Retry, or check with: remora doctor')
    : error
}
