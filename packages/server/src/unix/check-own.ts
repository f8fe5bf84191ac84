import { lstatSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

/**
 * Whoever answers at the socket is believed, so nobody else may have put it there: it and its folder must be the
 * user's alone. What does not exist is nobody's, and is found out by connecting.
 *
 * @example checkOwn('/home/me/.remora/server.sock')
 */
export function checkOwn(path: string, uid: number = userInfo().uid): void {
  const socket = lstatSync(path, { throwIfNoEntry: false })
  // Where there are no such ids, the system has other rights.
  if (!socket || uid < 0) return
  if (isOwnFolder(dirname(path), uid) && socket.uid === uid && !socket.isSymbolicLink()) return
  throw new RemoraError('permission', `Unsafe socket ${path}: it must belong to you only`, {
    hint: `Check its owner, then restrict the folder: chmod 700 ${dirname(path)}`,
  })
}

/** A link to it must be the user's too, or it may lead elsewhere the next moment. */
function isOwnFolder(folder: string, uid: number): boolean {
  const [named, real] = [lstatSync(folder), statSync(folder)]
  return named.uid === uid && real.uid === uid && real.isDirectory() && (real.mode & 0o022) === 0
}
