import type { ChildProcess } from 'node:child_process'

/** How long the output of a client may stay open after its process was killed, and after it has ended by itself. */
const openMs = { killed: 500, ended: 20_000 }

/**
 * Reports the end of a tmux client with its exit code. A client hands its output to the tmux server, so that `close` may
 * come long after the process has ended, or never where the server hangs. A client without `close`
 * never counts as successful, since its output may be incomplete.
 *
 * @example onceClosed(child, (code) => resolve(code))
 */
export function onceClosed(child: ChildProcess, done: (code: number | null) => void): void {
  let timer: NodeJS.Timeout | undefined
  let isDone = false
  const finish = (code: number | null): void => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    for (const stream of child.stdio) stream?.destroy()
    done(code)
  }
  child.once('close', finish)
  child.once('exit', (_, signal) => {
    timer = setTimeout(() => finish(null), signal === null ? openMs.ended : openMs.killed)
  })
}
