import { basename } from 'node:path'
import { type ListedProcess, listProcesses } from './process-list.ts'

/**
 * Kills control clients of Remora's tmux server whose owner was killed. With tmux 3.3a such a client waits forever to
 * write its last output, and then the server outlives all its sessions.
 *
 * @example await endOrphans('/home/me/.remora/tmux.sock')
 */
export async function endOrphans(socket: string): Promise<number> {
  const processes = await listProcesses()
  const orphans = [...processes.values()].filter(
    (each) => isControlClient(socket, each) && !isOwner(processes.get(each.parent)),
  )
  for (const { pid } of orphans) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  return orphans.length
}

function isControlClient(socket: string, { argv }: ListedProcess): boolean {
  const [program = ''] = argv
  return basename(program) === 'tmux' && argv.includes(socket) && argv.includes('-C')
}

/** Orphans are adopted by the first process or the user's service manager, which own no terminal. */
function isOwner(parent: ListedProcess | undefined): boolean {
  return (
    parent !== undefined &&
    parent.pid !== 1 &&
    !/^\(?(?:systemd|init|launchd)\b/.test(basename(parent.argv[0] ?? ''))
  )
}
