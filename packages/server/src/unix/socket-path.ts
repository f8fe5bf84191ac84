import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { join } from 'node:path'

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
