import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** The processes that were started for a home. */
export function listProcesses(home) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        // tmux does not have our HOME, but its command line names the socket.
        const isOurs = words.startsWith('tmux ') && words.includes(`${dirname(home)}/`)
        if (!isOurs && !readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}\0`)) return []
        return words === '' ? [] : [{ pid: Number(pid), words }]
      } catch {
        return []
      }
    })
}

/** Kills the processes of a home and its tmux. */
export function endAll(home, socket) {
  try {
    execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' })
  } catch {
    // No tmux server is running.
  }
  for (const { pid } of listProcesses(home)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has ended.
    }
  }
}
