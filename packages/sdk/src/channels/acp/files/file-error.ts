import { RemoraError } from '@remora/protocol/plain'
import type { ErrorCode } from '@remora/protocol/plain'

const known: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_found', 'does not exist: a part of its path is no folder'],
  EACCES: ['permission', 'may not be used by this user'],
  EPERM: ['permission', 'may not be used by this user'],
  EROFS: ['permission', 'is on a disk that may only be read'],
  // What was no link a moment ago is one now, or what was a file is a pipe.
  ELOOP: ['permission', 'became a link meanwhile'],
  ENXIO: ['permission', 'is not a regular file'],
  EISDIR: ['input', 'is a folder'],
  ENAMETOOLONG: ['input', 'has too long a name'],
}

/** What the system says about a file, in words that an agent can be told. */
export function fileError(error: unknown, path: string): RemoraError {
  if (RemoraError.is(error)) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  const [word, says] = known[code] ?? (['unknown', `cannot be used (${code || String(error)})`] as const)
  return new RemoraError(word, `${path} ${says}`, { cause: error })
}
