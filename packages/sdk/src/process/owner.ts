import { readFile } from 'node:fs/promises'
import { startTime } from './process-table.ts'

/** A process, named so that another one with the same pid is not taken for it. */
export interface Owner {
  readonly pid: number
  readonly startTime?: string
}

/** This process, to be written beside what it will have to take away. */
export async function thisProcess(): Promise<Owner> {
  const started = await startTime(process.pid)
  return { pid: process.pid, ...(started === undefined ? {} : { startTime: started }) }
}

/** Whether the owner still runs; what a dead one left is anybody's to clean. */
export async function isRunning(owner: Owner): Promise<boolean> {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  // A zombie has ended, and only waits for its parent to notice.
  if (await isZombie(owner.pid)) return false
  return owner.startTime === undefined || (await startTime(owner.pid)) === owner.startTime
}

async function isZombie(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /\) Z /.test(stat)
}

/** Reads an owner from what was written; undefined where it is none. */
export function parseOwner(value: Readonly<Record<string, unknown>> | undefined): Owner | undefined {
  const { pid, startTime: started } = value ?? {}
  if (!Number.isSafeInteger(pid) || (pid as number) <= 0) return undefined
  return { pid: pid as number, ...(typeof started === 'string' ? { startTime: started } : {}) }
}
