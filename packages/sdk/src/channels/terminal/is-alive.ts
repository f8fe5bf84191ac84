import { readFileSync } from 'node:fs'

/**
 * Whether a process runs; a zombie does not. It is called often, and a small synchronous read is cheaper than an
 * asynchronous one.
 *
 * @example if (!isAlive(pid)) log('it has ended')
 */
export function isAlive(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0)
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name is in parentheses and may contain any character.
    return !/^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2))
  } catch (error) {
    // Other errors, such as too many open files, say nothing about the process.
    const { code = '' } = error as NodeJS.ErrnoException
    return !['ENOENT', 'ESRCH'].includes(code)
  }
}
