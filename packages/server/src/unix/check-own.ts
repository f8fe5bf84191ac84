import { lstatSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

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
