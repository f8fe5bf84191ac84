import { readFileSync } from 'node:fs'

/**
 * Whether a process runs. One that has ended and whose end nobody has asked for yet does not. It is asked often, and
 * a small read at once is cheaper than one that others wait for.
 *
 * @example if (!isAlive(pid)) tell('it has ended')
 */
export function isAlive(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0)
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name stands in parentheses and may hold anything.
    return !/^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2))
  } catch (error) {
    // Whatever else keeps us from looking, such as too many open files, says nothing of it.
    const { code = '' } = error as NodeJS.ErrnoException
    return !['ENOENT', 'ESRCH'].includes(code)
  }
}
