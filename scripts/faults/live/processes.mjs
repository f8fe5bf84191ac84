import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** All that were started for a home, known by it. */
export function listProcesses(home) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        // A tmux client has an environment of its own, but names the socket.
        const isOurs = words.startsWith('tmux ') && words.includes(`${dirname(home)}/`)
        if (!isOurs && !readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}\0`)) return []
        return words === '' ? [] : [{ pid: Number(pid), words }]
      } catch {
        return []
      }
    })
}

/** Ends what is left of a home, and its tmux. */
export function endAll(home, socket) {
  try {
    execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' })
  } catch {
    // There was none.
  }
  for (const { pid } of listProcesses(home)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}
