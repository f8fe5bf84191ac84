import { spawn } from 'node:child_process'
import { runVariable } from './process-table.ts'
import type { Tree } from './spawn-tree.ts'

// The guard reads from a pipe that only this process holds. A message means that all went well; end of file without one
// means that this process died, and the guard ends the tree. Descendants outside the group are found by their run mark.
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
 * Ends a tree if this process dies, even by SIGKILL. Returns the function that releases the guard.
 *
 * @example const release = guardTree(tree)
 */
export function guardTree(tree: Pick<Tree, 'pid' | 'run'>): () => void {
  if (process.platform === 'win32') return () => {}
  const guard = spawn('/bin/sh', ['-c', script], {
    // In its own group, so that it survives this process, and without the mark, so that it does not kill itself.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin', group: String(tree.pid), run: tree.run, mark: runVariable },
  })
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  // The pipe must not keep this process alive.
  ;(guard.stdin as unknown as { unref?: () => void }).unref?.()
  return () => void guard.stdin.end('done\n')
}
