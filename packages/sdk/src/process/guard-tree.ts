import { spawn } from 'node:child_process'
import { runVariable } from './run-mark.ts'
import type { Tree } from './spawn-tree.ts'

// It waits on a pipe that only we hold. A word on it says that all went well; its end without one says that we died,
// by whatever death, and then the tree must not live on. Descendants that left the group are known by their mark.
const script = `
read -r word && exit 0
each() {
  kill "-$1" -- "-$group" 2>/dev/null
  for folder in /proc/[0-9]*; do
    if tr '\\0' '\\n' <"$folder/environ" 2>/dev/null | grep -q "^$mark=.*$run"; then
      kill "-$1" "\${folder#/proc/}" 2>/dev/null
    fi
  done
}
each TERM
sleep 1
each KILL
`

/**
 * Ends a tree if this process dies before it says otherwise, also by SIGKILL. Returns what says so.
 *
 * @example const release = guardTree(tree)
 */
export function guardTree(tree: Pick<Tree, 'pid' | 'run'>): () => void {
  if (process.platform === 'win32') return () => {}
  const guard = spawn('/bin/sh', ['-c', script], {
    // Not in our group, so that what kills us does not kill it, and without the mark, so that it does not kill itself.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin', group: String(tree.pid), run: tree.run, mark: runVariable },
  })
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  // A pipe that is written to only at the end must not keep this process alive until then.
  ;(guard.stdin as unknown as { unref?: () => void }).unref?.()
  return () => void guard.stdin.end('done\n')
}
