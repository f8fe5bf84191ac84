import { startTime } from './process-table.ts'

/** A process, identified so that another process with the same pid is not mistaken for it. */
export interface Owner {
  readonly pid: number
  readonly startTime?: string
}

/**
 * Identifies this process, to be stored beside files that it must clean up.
 *
 * @example await thisProcess() // { pid: 4711, startTime: … }
 */
export async function thisProcess(): Promise<Owner> {
  const started = await startTime(process.pid)
  return { pid: process.pid, ...(started === undefined ? {} : { startTime: started }) }
}

/**
 * Whether the owner still runs. Any process may clean up after a dead owner.
 *
 * @example await isRunning(await thisProcess()) // true
 */
export async function isRunning(owner: Owner): Promise<boolean> {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  if (process.platform === 'win32') return owner.startTime === undefined
  // Without a start time it is a zombie, or was removed from the process list since the line above.
  const started = await startTime(owner.pid)
  return started !== undefined && (owner.startTime ?? started) === started
}

/** Parses a stored owner; undefined if it is invalid. */
export function parseOwner(value: Readonly<Record<string, unknown>> | undefined): Owner | undefined {
  const { pid, startTime: started } = value ?? {}
  if (!Number.isSafeInteger(pid) || (pid as number) <= 0) return undefined
  return { pid: pid as number, ...(typeof started === 'string' ? { startTime: started } : {}) }
}
