import { join } from 'node:path'
import { RemoraError, type StartRequest } from '@remora/protocol'
import { type Agent, type ProtectedResume, detect, getStartMode } from '@remora/sdk'
import {
  type DriverName,
  type Terminal,
  attachTerminal,
  endOrphans,
  ownPane,
  ptyPane,
  startTerminal,
} from '@remora/sdk/terminal'
import { prepareSocketFolder } from '../host/host-files.ts'
import { getSocketPath } from '../unix/socket-path.ts'
import { toShownAgent } from './find-support.ts'
import type { LiveRecord } from './live-record.ts'
import type { ManagerParts } from './managed-session.ts'
import { prepareSession } from './prepare-session.ts'

export interface OpenedTerminal {
  readonly record: LiveRecord
  readonly terminal: Terminal
  readonly protection?: ProtectedResume | undefined
}

/** Starts an agent on its own terminal. A resumed session is protected from damage by its CLI. */
export async function openTerminal(
  { remoraHome, env, home, hookCommand }: ManagerParts,
  agent: Agent,
  record: LiveRecord,
  request: StartRequest,
  keep: (record: LiveRecord) => Promise<void>,
  driver: DriverName = 'tmux',
): Promise<OpenedTerminal> {
  if (!agent.terminal)
    throw new RemoraError('unsupported', `${agent.title} does not support terminal sessions`, {
      hint: 'Use --acp.',
    })
  const place = { env, home, cwd: record.cwd }
  const { path, version, problems } = await detect(agent, place)
  if (path === undefined)
    throw new RemoraError('agent_missing', problems[0]?.message ?? `${agent.title} is not installed`, {
      hint: problems[0]?.hint ?? agent.detection.install,
    })
  const { mode } = await getStartMode(agent, { ...place, version }, request.mode)
  const { session, options, protection } = await prepareSession(agent, request, { ...place, version })
  try {
    const event = agent.hooks?.approval
    const hook = event === undefined ? undefined : await hookCommand?.(agent.id, record.id)
    const name = getTmuxName(record)
    const socket = driver === 'pty' ? getPtySocket(remoraHome, record) : getTmuxSocket(remoraHome)
    await prepareSocketFolder(socket)
    const known = {
      ...record,
      session: session ?? record.id,
      // Some agents do not show their mode until it changes.
      starts: mode,
      ...(hook === undefined ? {} : { hooked: true }),
      ...(driver === 'pty' ? { terminal: { socket, pane: ptyPane, name, version } } : {}),
    }
    // Stored before the agent starts, so that the next server process knows the conversation.
    await keep(known)
    const terminal = await startTerminal(toShownAgent(agent, record), {
      cwd: record.cwd,
      env,
      driver,
      socket,
      name,
      command: path,
      version,
      ...(request.mode === undefined ? {} : { mode: request.mode }),
      ...(request.model === undefined ? {} : { model: request.model }),
      ...(request.effort === undefined ? {} : { effort: request.effort }),
      ...options,
      ...(event === undefined || hook === undefined ? {} : { hooks: { [event]: hook } }),
      ...(request.args === undefined ? {} : { extraArgs: request.args }),
    })
    return { record: { ...known, terminal: { ...terminal.address, name, version } }, terminal, protection }
  } catch (error) {
    await protection?.finish().catch(() => [])
    throw error
  }
}

/** Attaches to an agent that a previous server process started, even if that process was killed during the start. */
export async function reopenTerminal(
  { remoraHome, env, home }: Pick<ManagerParts, 'remoraHome' | 'env' | 'home'>,
  agent: Agent,
  record: LiveRecord,
): Promise<OpenedTerminal> {
  const name = getTmuxName(record)
  const { socket, pane } = record.terminal ?? (await ownPane(getTmuxSocket(remoraHome), name))
  const place = { env, home, cwd: record.cwd, version: record.terminal?.version }
  const terminal = await attachTerminal(toShownAgent(agent, record), { socket, pane }, place)
  return { record: { terminal: { socket, pane, name }, ...record }, terminal }
}

/** Ends what killed servers left in our tmux server. */
export async function tidyTmux(remoraHome: string): Promise<void> {
  await endOrphans(getTmuxSocket(remoraHome))
}

/** The socket of our own tmux server. @example getTmuxSocket('/home/me/.remora') */
export function getTmuxSocket(remoraHome: string): string {
  return getSocketPath(remoraHome, 'tmux.sock')
}

/** The socket of the PTY host of an agent. */
function getPtySocket(remoraHome: string, { id }: LiveRecord): string {
  return getSocketPath(remoraHome, join('terminals', `${id}.sock`))
}

/** The name of the tmux session of an agent. */
function getTmuxName({ id }: LiveRecord): string {
  return `remora-${id}`
}
