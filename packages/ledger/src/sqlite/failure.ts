import { RemoraError } from '@remora/protocol/plain'

/** The same failure in words that tell a person what to do. @example throw explain(error, file) */
export function explain(error: unknown, file: string): Error {
  if (!(error instanceof Error) || RemoraError.is(error)) return error as Error
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return error
  const fail = (kind: 'config' | 'permission' | 'conflict' | 'unknown', what: string, hint: string) =>
    new RemoraError(kind, `${what}: ${file} (${error.message})`, { hint, cause: error })
  if (code === 'SQLITE_NOTADB')
    return fail('config', 'This file is no ledger', 'Move it away, or use another REMORA_HOME.')
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'EISDIR')
    return fail('config', 'A ledger cannot be kept here', 'Use another REMORA_HOME.')
  if (code.startsWith('SQLITE_CORRUPT'))
    return fail(
      'config',
      'The ledger is damaged',
      'Move the file away and put a backup in its place, or import again.',
    )
  if (code.startsWith('SQLITE_BUSY'))
    return fail('conflict', 'The ledger is in use by another process', 'Try again in a moment.')
  if (code.startsWith('SQLITE_CANTOPEN') || code === 'EACCES' || code === 'EPERM')
    return fail('permission', 'The ledger cannot be opened', 'Check who owns the file and its folder.')
  if (code.startsWith('SQLITE_READONLY') || code === 'EROFS')
    return fail('permission', 'The ledger cannot be written', 'Check who owns the file and its folder.')
  if (code === 'SQLITE_FULL' || code === 'ENOSPC')
    return fail('unknown', 'The disk is full, nothing was stored', 'Free some space and try again.')
  return code.startsWith('SQLITE_')
    ? fail('unknown', 'The ledger failed', 'Try again; `remora doctor` may say more.')
    : error
}

/** Why the SQLite library could not be loaded. */
export function missingLibrary(cause: unknown): RemoraError {
  const text = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause)
  return new RemoraError('config', `SQLite could not be loaded: ${text}`, {
    hint: 'Run `npm rebuild better-sqlite3` with the Node that runs Remora, where it is installed.',
    cause,
  })
}
