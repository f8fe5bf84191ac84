import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A folder whose disk can be made full: small and in memory where we may mount one, else by a limit for the server. */
export function smallDisk(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=700', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return limited(folder)
  }
  const filler = join(folder, 'filler')
  return {
    way: 'a small disk',
    fill() {
      const file = openSync(filler, 'w')
      const chunk = Buffer.alloc(256 * 1024)
      try {
        for (;;) writeSync(file, chunk)
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    empty: () => rmSync(filler, { force: true }),
    remove() {
      try {
        execFileSync('umount', [folder], { stdio: 'ignore' })
      } catch {
        execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
      }
    },
  }
}

/** No file of the server may grow any more. */
function limited(folder) {
  let pid
  const limit = (size) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`], { stdio: 'ignore' })
  return {
    way: 'a limit for the size of files',
    fill(server) {
      pid = server
      limit(statSync(join(folder, 'ledger.db-wal'), { throwIfNoEntry: false })?.size ?? 4096)
    },
    empty() {
      try {
        limit('unlimited')
      } catch {
        // It was killed meanwhile.
      }
    },
    remove() {},
  }
}
