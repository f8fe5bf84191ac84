import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the disk of a folder fillable: with a small tmpfs if mounting is allowed, or with a file size limit for the server. */
export function createSmallDisk(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=700', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return createFileSizeLimit(folder)
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

/** Limits the size of the files that the server writes. */
function createFileSizeLimit(folder) {
  let pid
  const limit = (size) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`], { stdio: 'ignore' })
  return {
    way: 'a file size limit',
    fill(server) {
      pid = server
      limit(statSync(join(folder, 'ledger.db-wal'), { throwIfNoEntry: false })?.size ?? 4096)
    },
    empty() {
      try {
        limit('unlimited')
      } catch {
        // The server was killed meanwhile.
      }
    },
    remove() {},
  }
}
