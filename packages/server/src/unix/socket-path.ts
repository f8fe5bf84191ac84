import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { lstatSync, statSync } from 'node:fs'
import { RemoraError } from '@remora/protocol/plain'

/** The limit of the kernel is 108 bytes on Linux and 104 on macOS, with the terminator. */
const maxBytes = 100

/**
 * Returns the unix socket of the server. If the path is too long, it is in a private folder below `/tmp`.
 *
 * @example getSocketPath('/home/me/.remora') // '/home/me/.remora/server.sock'
 */
export function getSocketPath(remoraHome: string, name = 'server.sock'): string {
  return shortenSocketPath(join(remoraHome, name))
}

/** Returns the path or a short replacement, which does not depend on TMPDIR. */
export function shortenSocketPath(path: string): string {
  if (Buffer.byteLength(path) <= maxBytes) return path
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join('/tmp', `remora-${userInfo().uid}`, `${name}.sock`)
}

/**
 * Checks that the socket and its folder belong to the user only, since the client trusts the server behind it. A missing
 * socket is reported by connecting.
 *
 * @example checkSocketOwner('/home/me/.remora/server.sock')
 */
export function checkSocketOwner(path: string, uid: number = userInfo().uid): void {
  const socket = lstatSync(path, { throwIfNoEntry: false })
  // Windows has no user ids.
  if (!socket || uid < 0) return
  if (isOwnFolder(dirname(path), uid) && socket.uid === uid && !socket.isSymbolicLink()) return
  throw new RemoraError('permission', `Unsafe socket ${path}: it must belong to you only`, {
    hint: `Check its owner, then restrict the folder: chmod 700 ${dirname(path)}`,
  })
}

/** A link to the folder must belong to the user too, since its owner can change the target. */
function isOwnFolder(folder: string, uid: number): boolean {
  const [named, real] = [lstatSync(folder), statSync(folder)]
  return named.uid === uid && real.uid === uid && real.isDirectory() && (real.mode & 0o022) === 0
}
