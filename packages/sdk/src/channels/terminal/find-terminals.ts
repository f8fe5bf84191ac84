import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '../../contract/agent.ts'
import { type AgentProcess, findAgentBelow, listTree } from './agent-process.ts'
import { type ListedProcess, readFolder, listProcesses, listOpenFiles, getStartedAt } from './process-list.ts'
import { runTmux } from './run-tmux.ts'
import type { FoundTerminal } from './terminal.ts'

export interface FindOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The agents to find. Those without a terminal channel are ignored. */
  readonly agents: readonly Agent[]
  /** The sockets of the tmux servers to search, instead of the user's own. */
  readonly sockets?: readonly string[]
}

interface PaneRow {
  readonly socket: string
  readonly pane: string
  readonly pid: number
  readonly name: string
  readonly folder: string
}

/**
 * Finds agents that the user started in their own tmux. Panes that Remora started are left out.
 *
 * @example
 * const [found] = await findTerminals({ env: process.env, agents: agents() })
 * const terminal = await attachTerminal(found.agent, found.address)
 */
export async function findTerminals({ env, agents, sockets }: FindOptions): Promise<FoundTerminal[]> {
  const drivable = agents.filter(({ terminal }) => terminal)
  const rows = await Promise.all((sockets ?? (await listUserSockets(env))).map(listPanes))
  const panes = rows.flat()
  if (panes.length === 0) return []
  const processes = await listProcesses()
  const found = panes.map(async (pane) => {
    const known = findAgentBelow(pane.pid, processes, drivable)
    return known && toFoundTerminal(pane, known, processes)
  })
  return (await Promise.all(found)).filter((terminal) => terminal !== undefined)
}

/** The sockets in tmux's folder of the user, and that of the tmux around this process. */
async function listUserSockets(env: FindOptions['env']): Promise<string[]> {
  const folder = join(env['TMUX_TMPDIR'] || '/tmp', `tmux-${process.getuid?.() ?? 0}`)
  const names = await readdir(folder).catch(() => [])
  const own = env['TMUX']?.split(',')[0]
  return [...new Set([...names.map((name) => join(folder, name)), ...(own ? [own] : [])])]
}

async function listPanes(socket: string): Promise<PaneRow[]> {
  const format =
    '#{pane_id} #{pane_pid} #{pane_dead} #{?@remora-run,1,0} #{session_name} #{pane_current_path}'
  // The socket has no server, or belongs to another user.
  const text = await runTmux({ socket, commands: [['list-panes', '-a', '-F', format]] }).catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [, pane, pid, dead, ours, rest] = /^(%\d+) (\d+) ([01]?) ([01]) (.*)$/.exec(line) ?? []
    if (!pane || !pid || rest === undefined || dead === '1' || ours === '1') return []
    // A name may contain spaces; a path starts with a slash.
    const cut = rest.indexOf(' /')
    return [
      {
        socket,
        pane,
        pid: Number(pid),
        name: cut === -1 ? rest.trim() : rest.slice(0, cut),
        folder: cut === -1 ? '' : rest.slice(cut + 1),
      },
    ]
  })
}

async function toFoundTerminal(
  pane: PaneRow,
  { agent, process, args }: AgentProcess,
  processes: ReadonlyMap<number, ListedProcess>,
): Promise<FoundTerminal> {
  const session = agent.terminal?.findSessionId?.(args) ?? (await findOpenSession(process.pid, processes))
  const startTime = await getStartedAt(process)
  return {
    agent,
    address: { socket: pane.socket, pane: pane.pane },
    pid: process.pid,
    args,
    cwd: (await readFolder(process.pid)) ?? (pane.folder || homedir()),
    name: pane.name,
    ...(session === undefined ? {} : { session }),
    ...(startTime === undefined ? {} : { startedAt: startTime }),
  }
}

const sessionFile = /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.jsonl$/

/** Finds the session by a transcript that the agent or one of its processes has open. */
async function findOpenSession(
  pid: number,
  processes: ReadonlyMap<number, ListedProcess>,
): Promise<string | undefined> {
  for (const member of listTree(pid, processes)) {
    for (const file of await listOpenFiles(member)) {
      const id = sessionFile.exec(file)?.[1]
      if (id !== undefined) return id
    }
  }
  return undefined
}
