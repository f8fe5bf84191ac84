import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** The kernel takes no longer one: 108 bytes with its end on Linux, 104 elsewhere. */
const longest = 100

/**
 * Where the server of a folder of state listens for the user. A folder too deep for a socket gets one beside other
 * temporary files, in a folder that is the user's alone.
 *
 * @example socketPath('/home/me/.remora') // '/home/me/.remora/server.sock'
 */
export function socketPath(remoraHome: string, name = 'server.sock'): string {
  return shortEnough(join(remoraHome, name))
}

/** The path itself, or the one that stands for it: the same for every process, whatever its TMPDIR says. */
export function shortEnough(path: string): string {
  if (Buffer.byteLength(path) <= longest) return path
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join('/tmp', `remora-${userInfo().uid}`, `${name}.sock`)
}
