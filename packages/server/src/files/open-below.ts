import { type Stats, constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { isBelow } from './below.ts'
import type { Roots } from './roots.ts'
import { isSecretPath } from './secret-paths.ts'

/** A file or folder that is open, and really lies where it may be seen. */
export interface Opened extends AsyncDisposable {
  readonly handle: FileHandle
  /** Its real path, as the system tells it of what is open. */
  readonly path: string
  readonly stats: Stats
  /** A path that leads to what is open, whatever has taken its place meanwhile. */
  readonly held: string
}

const longest = 4_096
/** What looks like files there are questions to the system. */
const unreal = ['/proc', '/sys', '/dev']

/**
 * Opens a file or folder below one of the roots. The check is made with what was opened, not with its name: a link that
 * is put in its place in between changes nothing.
 *
 * @example await using file = await openBelow(roots, '/home/ann/project/readme.md')
 */
export async function openBelow(roots: Roots, path: string): Promise<Opened> {
  checkWords(path)
  // A path that is elsewhere by its words alone is not even looked for: nobody learns what is there.
  if (![...roots.written, ...roots.real].some((root) => isBelow(root, path))) throw outside(path)
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    throw missing(path, error)
  })
  checkPlace(roots, real, path)
  // Opening a pipe may wait for ever, and opening a device may do something.
  checkKind(
    await lstat(real).catch((error: NodeJS.ErrnoException) => Promise.reject(missing(path, error))),
    path,
  )
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(real, flags).catch((error: NodeJS.ErrnoException) => {
    throw missing(path, error)
  })
  try {
    const stats = await handle.stat()
    checkKind(stats, path)
    const actual = await pathOf(handle, stats, real, path)
    checkPlace(roots, actual, path)
    const held = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : actual
    return { handle, path: actual, stats, held, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Whether a real path may be seen: below a root, and neither secret nor Remora's own. */
export function mayBeSeen(roots: Roots, path: string): boolean {
  if (unreal.some((folder) => isBelow(folder, path))) return false
  if (!roots.real.some((root) => isBelow(root, path))) return false
  if (isSecretPath(path)) return false
  if (!isBelow(roots.remoraHome, path)) return true
  return ['uploads', 'worktrees'].some((name) => isBelow(join(roots.remoraHome, name), path))
}

function checkWords(path: string): void {
  const fine =
    isAbsolute(path) && !path.includes('\0') && path.length <= longest && !path.split(/[/\\]/).includes('..')
  if (!fine)
    throw new RemoraError('usage', 'The file path must be absolute and without ".."', {
      hint: 'For example /home/ann/project/readme.md',
    })
}

function checkPlace(roots: Roots, real: string, asked: string): void {
  if (!mayBeSeen(roots, real)) throw outside(asked)
}

function checkKind(stats: Stats, path: string): void {
  if (!stats.isFile() && !stats.isDirectory())
    throw new RemoraError('permission', `${path} is neither a file nor a folder`)
}

/** Where that which is open lies now. */
async function pathOf(handle: FileHandle, stats: Stats, real: string, asked: string): Promise<string> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`)
  const [again, now] = await Promise.all([realpath(real), stat(real)])
  if (again !== real || now.ino !== stats.ino || now.dev !== stats.dev) throw outside(asked)
  return real
}

/** The same words for all reasons: whether a secret file exists is a secret too. */
function outside(path: string): RemoraError {
  return new RemoraError('permission', `Access to ${path} is not allowed`, {
    hint: 'You can open files in your home, running sessions and configured folders, except files that may contain secrets.',
  })
}

function missing(path: string, error: NodeJS.ErrnoException): RemoraError {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new RemoraError('not_found', `File ${path} not found`)
  return new RemoraError('permission', `Cannot open ${path} (${error.code ?? 'unknown'})`)
}
