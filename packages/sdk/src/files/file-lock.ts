import { open, readFile, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'

const lockTimeoutMs = 10_000
/** A lock file without an owner is left over from a crash, unless it is newer than this. */
const newLockMs = 2_000

/**
 * Runs a function under a lock between processes. The lock is a file beside the locked file; the lock of a dead process
 * is ignored.
 *
 * @example await withFileLock('/home/me/.remora/conversations.json', async () => { … })
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  const end = Date.now() + lockTimeoutMs
  while (!(await tryLock(lock))) {
    if (await isStale(lock)) await rm(lock, { force: true })
    else if (Date.now() > end) {
      throw new RemoraError('conflict', `${lock} is held by process ${await readOwner(lock)}`, {
        hint: 'Wait until that process is done, or delete the lock file if it is not one of ours.',
      })
    } else await sleep(10 + Math.random() * 20)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600)
    await handle.writeFile(String(process.pid))
    await handle.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function readOwner(lock: string): Promise<number> {
  return Number(await readFile(lock, 'utf8').catch(() => ''))
}

async function isStale(lock: string): Promise<boolean> {
  const pid = await readOwner(lock)
  if (!pid) {
    const made = await stat(lock).catch(() => undefined)
    return made !== undefined && Date.now() - made.mtimeMs > newLockMs
  }
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
