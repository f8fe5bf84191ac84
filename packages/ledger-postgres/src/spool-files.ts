import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A name that no other process has, and that tells whose it is. */
export function ownName(): string {
  return `${process.pid}-${randomUUID()}.db`
}

/** Files of processes that are no more. */
export async function orphansIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => /^\d+-[\w-]+\.db$/.test(name) && !isRunning(parseInt(name, 10)))
    .map((name) => join(folder, name))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Of another user, then, and running.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
