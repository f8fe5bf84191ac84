import { basename } from 'node:path'
import { type ListedProcess, listProcesses } from './process-list.ts'

/**
 * Ends control clients of our own tmux server whose owner was killed. tmux 3.3a lets such a client wait for ever for
 * somebody to read its last words, and then the server outlives all its sessions.
 *
 * @example await endOrphans('/home/me/.remora/tmux.sock')
 */
export async function endOrphans(socket: string): Promise<number> {
  const processes = await listProcesses()
  const orphans = [...processes.values()].filter(
    (each) => isClientOf(socket, each) && !isOwner(processes.get(each.parent)),
  )
  for (const { pid } of orphans) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has gone by itself.
    }
  }
  return orphans.length
}

function isClientOf(socket: string, { words }: ListedProcess): boolean {
  const [program = ''] = words
  return basename(program) === 'tmux' && words.includes(socket) && words.includes('-C')
}

/** Whoever takes in orphans is no program that drives terminals: the first process, or that of a user's services. */
function isOwner(parent: ListedProcess | undefined): boolean {
  return (
    parent !== undefined &&
    parent.pid !== 1 &&
    !/^\(?(?:systemd|init|launchd)\b/.test(basename(parent.words[0] ?? ''))
  )
}
