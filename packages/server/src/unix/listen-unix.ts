import { chmod, lstat, mkdir, rm, stat } from 'node:fs/promises'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

/** Listens on a socket that only the user can open. The socket of a dead server is replaced. */
export async function listenUnix(server: Server, path: string): Promise<void> {
  await createPrivateFolder(dirname(path))
  if (await isAlive(path))
    throw new RemoraError('conflict', `A server is already listening at ${path}`, {
      hint: 'See: remora status',
    })
  await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // The umask applies to the socket file, which is created during the call.
    const before = process.umask(0o177)
    try {
      server.listen(path, () => {
        server.off('error', reject)
        resolve()
      })
    } finally {
      process.umask(before)
    }
  })
  await chmod(path, 0o600)
}

/** Creates a folder for the user only, since other users could replace the socket. */
async function createPrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // A link is allowed if the user owns it, for example to another disk.
  const [named, found] = await Promise.all([lstat(folder), stat(folder)])
  const { uid } = userInfo()
  if (!found.isDirectory() || (uid >= 0 && (found.uid !== uid || named.uid !== uid)))
    throw new RemoraError('permission', `Another user owns ${folder}`, {
      hint: 'Set REMORA_HOME to a folder that you own.',
    })
  if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700)
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const done = (alive: boolean): void => {
      socket.destroy()
      resolve(alive)
    }
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
}
