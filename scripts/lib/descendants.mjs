import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The pids of all descendants of a process, in any process group or session. */
export function descendants(pid, table = parents()) {
  const children = [...table].filter(([, parent]) => parent === pid).map(([child]) => child)
  return children.flatMap((child) => [child, ...descendants(child, table)])
}

/** Every process and its parent. Reads /proc on Linux, because small systems have no `ps`. */
function parents() {
  if (process.platform === 'win32') return new Map()
  return new Map(process.platform === 'linux' ? fromProc() : fromPs())
}

function fromProc() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The second field is a name that may contain any character; the parent is the second field after it.
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]]
      } catch {
        return [] // It has ended.
      }
    })
}

function fromPs() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => line.trim().split(/\s+/).map(Number))
}
