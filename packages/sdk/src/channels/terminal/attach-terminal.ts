import { RemoraError } from '@remora/protocol/plain'
import type { Agent, Place } from '../../contract/agent.ts'
import { findAgentBelow } from './agent-process.ts'
import { openTerminal } from './pane-terminal.ts'
import { listProcesses } from './process-list.ts'
import { ptyPane } from './pty-driver.ts'
import { getTerminalPart } from './reading.ts'
import { runTmux } from './run-tmux.ts'
import type { PaneAddress, Terminal } from './terminal.ts'
import { toSessionName } from './tmux-command.ts'

/**
 * Attaches to a running agent: one that Remora started, after a restart, or one in the user's own tmux, whose windows keep
 * their size. Throws `not_found` if it has ended. `place` is where Remora started it.
 *
 * @example const terminal = await attachTerminal(gemini, found.address)
 */
export async function attachTerminal(agent: Agent, address: PaneAddress, place?: Place): Promise<Terminal> {
  getTerminalPart(agent)
  const { socket, pane } = address
  if (pane === ptyPane) return openTerminal(agent, address, place ? { place } : {})
  if (!/^%\d+$/.test(pane))
    throw new RemoraError('input', `A pane is named like %3, not ${JSON.stringify(pane)}`)
  const text = await runTmux({
    socket,
    commands: [
      ['display-message', '-p', '-t', pane, '#{pane_id} #{pane_pid} #{pane_dead} #{?@remora-run,1,0}'],
    ],
  })
  const [, id, pid, dead, ours] = /^(%\d+) (\d+) ([01]?) ([01])$/m.exec(text) ?? []
  if (id !== pane || pid === undefined) {
    throw new RemoraError('not_found', `There is no pane ${pane} in the tmux at ${socket}`)
  }
  // A pane of Remora stays after its agent ended, and has the exit code.
  if (ours === '1' || dead === '1') return openTerminal(agent, address, place ? { place } : {})
  const found = findAgentBelow(Number(pid), await listProcesses(), [agent])
  if (!found) {
    throw new RemoraError(
      'not_found',
      `${agent.title} does not run in the pane ${pane} of the tmux at ${socket}`,
    )
  }
  const { pid: own, startTime } = found.process
  return openTerminal(agent, address, { inhabitant: { pid: own, startTime } })
}

/**
 * Finds the pane of a session that Remora started, by its name. Throws `not_found` if it does not exist.
 *
 * @example const address = await ownPane(socket, 'remora-1')
 */
export async function ownPane(socket: string, name: string): Promise<PaneAddress> {
  const target = `=${toSessionName(name)}:`
  const text = await runTmux({ socket, commands: [['display-message', '-p', '-t', target, '#{pane_id}']] })
  const pane = /^%\d+$/m.exec(text)?.[0]
  if (pane === undefined)
    throw new RemoraError('not_found', `There is no session ${name} in the tmux at ${socket}`)
  return { socket, pane }
}
