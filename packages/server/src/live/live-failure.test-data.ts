import { execFileSync } from 'node:child_process'
import { ptyPane } from '@remora/sdk/terminal'
import type { RunningServer } from '../start-server.ts'

/**
 * Describes the sessions of a server after a timeout: the known state beside the screen of tmux, so that a reader sees
 * which of the two is wrong.
 *
 * @example throw new Error(`Timed out: ${what}\n${await describeFailure(server)}`)
 */
export async function describeFailure({ context }: RunningServer): Promise<string> {
  const { live, ledger } = context
  const commands = await ledger.commands.list({})
  return [
    JSON.stringify(live.list()),
    ...commands.map(({ body, state, reason }) => JSON.stringify({ body, state, reason })),
    ...live.list().flatMap(({ id, state }) => {
      const terminal = live.terminal(id)
      if (!terminal) return []
      const { title, lines } = terminal.screen()
      return [
        `-- ${id} is ${state}. Our screen of it: ${title}`,
        ...withoutEnd(lines),
        ...(terminal.address.pane === ptyPane
          ? []
          : ['-- The same pane, as tmux has it:', ...withoutEnd(readPane(terminal.address))]),
        '-- What runs there:',
        ...processesBelow(terminal.pid),
      ]
    }),
  ].join('\n')
}

function readPane({ socket, pane }: { readonly socket: string; readonly pane: string }): string[] {
  const facts =
    '#{pane_current_command} alternate=#{alternate_on} dead=#{pane_dead} cursor=#{cursor_x},#{cursor_y}'
  const commands = [
    ['display-message', '-p', '-t', pane, facts],
    ['list-clients', '-F', '#{client_name} #{client_flags}'],
    ['capture-pane', '-p', '-t', pane],
  ]
  return commands.flatMap((args) => run('tmux', ['-S', socket, ...args]))
}

/** The state and the processor time of a program show whether it is idle or gets no time. */
function processesBelow(pid: number): string[] {
  const rows = run('ps', ['-e', '-o', 'pid=,ppid=,stat=,time=,etime=,wchan=,args=']).map((line) =>
    line.trim(),
  )
  const below = (parent: string): string[] =>
    rows
      .filter((row) => row.split(/\s+/)[1] === parent)
      .flatMap((row) => [row.slice(0, 200), ...below(row.split(/\s+/)[0]!)])
  return [...rows.filter((row) => row.split(/\s+/)[0] === String(pid)), ...below(String(pid))]
}

function run(command: string, args: readonly string[]): string[] {
  try {
    return execFileSync(command, args, { stdio: 'pipe', timeout: 10_000 }).toString('utf8').split('\n')
  } catch (error) {
    return [(error as Error).message]
  }
}

function withoutEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1)
}

/** Ends a tmux server, if there is one. */
export function endTmux(socket: string): void {
  try {
    execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' })
  } catch {
    // No server ran.
  }
}
