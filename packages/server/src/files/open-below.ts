import { type Stats, constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Roots } from './roots.ts'
import { isSecretPath } from './secret-paths.ts'

/** An open file or folder at an allowed path. */
export interface Opened extends AsyncDisposable {
  readonly handle: FileHandle
  /** The real path of the open file. */
  readonly path: string
  readonly stats: Stats
  /** A path to the open file, even if another file replaced it. */
  readonly handlePath: string
}

const maxLength = 4_096
/** Virtual file systems, whose files are interfaces of the kernel. */
const virtualFolders = ['/proc', '/sys', '/dev']

/**
 * Opens a file or folder below one of the roots. The opened file is checked, not its name, so that a link that replaces
 * it in between has no effect.
 *
 * @example await using file = await openBelow(roots, '/home/ann/project/readme.md')
 */
export async function openBelow(roots: Roots, path: string): Promise<Opened> {
  checkSyntax(path)
  // A path outside the roots is not resolved, so that it is not revealed whether it exists.
  if (![...roots.written, ...roots.real].some((root) => isBelow(root, path))) throw createAccessError(path)
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    throw toOpenError(path, error)
  })
  checkAllowed(roots, real, path)
  // Opening a pipe may block forever, and opening a device may have effects.
  checkKind(
    await lstat(real).catch((error: NodeJS.ErrnoException) => Promise.reject(toOpenError(path, error))),
    path,
  )
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(real, flags).catch((error: NodeJS.ErrnoException) => {
    throw toOpenError(path, error)
  })
  try {
    const stats = await handle.stat()
    checkKind(stats, path)
    const actual = await resolvePath(handle, stats, real, path)
    checkAllowed(roots, actual, path)
    const handlePath = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : actual
    return { handle, path: actual, stats, handlePath, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Whether a real path may be shown: below a root, and neither secret nor Remora's own. */
export function isAllowed(roots: Roots, path: string): boolean {
  if (virtualFolders.some((folder) => isBelow(folder, path))) return false
  if (!roots.real.some((root) => isBelow(root, path))) return false
  if (isSecretPath(path)) return false
  if (!isBelow(roots.remoraHome, path)) return true
  return ['uploads', 'worktrees'].some((name) => isBelow(join(roots.remoraHome, name), path))
}

function checkSyntax(path: string): void {
  const isValid =
    isAbsolute(path) &&
    !path.includes('\0') &&
    path.length <= maxLength &&
    !path.split(/[/\\]/).includes('..')
  if (!isValid)
    throw new RemoraError('usage', 'The file path must be absolute and without ".."', {
      hint: 'For example /home/ann/project/readme.md',
    })
}

function checkAllowed(roots: Roots, real: string, asked: string): void {
  if (!isAllowed(roots, real)) throw createAccessError(asked)
}

function checkKind(stats: Stats, path: string): void {
  if (!stats.isFile() && !stats.isDirectory())
    throw new RemoraError('permission', `${path} is neither a file nor a folder`)
}

/** Resolves the current path of an open file. */
async function resolvePath(handle: FileHandle, stats: Stats, real: string, asked: string): Promise<string> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`)
  const [currentPath, current] = await Promise.all([realpath(real), stat(real)])
  if (currentPath !== real || current.ino !== stats.ino || current.dev !== stats.dev)
    throw createAccessError(asked)
  return real
}

/** One message for all reasons, so that it does not reveal whether a secret file exists. */
function createAccessError(path: string): RemoraError {
  return new RemoraError('permission', `Access to ${path} is not allowed`, {
    hint: 'You can open files in your home, running sessions and configured folders, except files that may contain secrets.',
  })
}

function toOpenError(path: string, error: NodeJS.ErrnoException): RemoraError {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new RemoraError('not_found', `File ${path} not found`)
  return new RemoraError('permission', `Cannot open ${path} (${error.code ?? 'unknown'})`)
}

/** Whether a path is a folder or inside it: `/home/ann2` is not in `/home/ann`. @example isBelow('/home/ann', '/home/ann/x') */
export function isBelow(root: string, path: string): boolean {
  if (path === root) return true
  return path.startsWith(root.endsWith(sep) ? root : root + sep)
}
