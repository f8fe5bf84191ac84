/** The primary result codes of SQLite that a caller can act on. https://www.sqlite.org/rescode.html */
const names: Readonly<Record<number, string>> = {
  5: 'BUSY',
  6: 'LOCKED',
  7: 'NOMEM',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  17: 'SCHEMA',
  18: 'TOOBIG',
  19: 'CONSTRAINT',
  20: 'MISMATCH',
  21: 'MISUSE',
  26: 'NOTADB',
}

/**
 * The primary result code of an error of either driver, or undefined if SQLite did not raise it.
 *
 * @example if (getSqliteCode(error) === 'SQLITE_BUSY') retry()
 */
export function getSqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  // The low byte of an extended code is the primary one.
  if (code === 'ERR_SQLITE_ERROR') return `SQLITE_${names[Number(errcode) & 0xff] ?? 'ERROR'}`
  return typeof code === 'string' ? /^SQLITE_[A-Z]+/.exec(code)?.[0] : undefined
}
