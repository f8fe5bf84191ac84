import type { StartRequest } from '@remora/protocol'
import type { AgentInfo, SessionInfo } from '@remora/protocol/api'
import { findMode, isSelfApproving } from '@remora/protocol/plain'
import { local } from '../state/local.ts'
import { getProject } from '../sessions/project.ts'

/** The options for a new session; empty is the default of the agent. */
export interface Choices {
  readonly cwd: string
  readonly worktree: boolean
  readonly worktreeName: string
  readonly model: string
  readonly mode: string
  readonly effort: string
  readonly channel: string
}

const none: Choices = {
  cwd: '',
  worktree: false,
  worktreeName: '',
  model: '',
  mode: '',
  effort: '',
  channel: '',
}

export function readChoices(agent: string): Choices {
  return { ...none, ...local.read<Partial<Choices>>(`new:${agent}`) }
}

/** Remembers the choices, except a worktree name and self-approving modes. */
export function rememberChoices(agent: AgentInfo, choices: Choices): void {
  const mode = findMode(agent.permissionModes, choices.mode)
  local.write('new-agent', agent.id)
  local.write(`new:${agent.id}`, {
    ...choices,
    worktreeName: '',
    mode: mode && !isSelfApproving(mode) ? mode.id : '',
  })
}

export function lastAgent(): string | undefined {
  return local.read<string>('new-agent')
}

/** The channels in which an agent can be started. */
export function startChannels({ channels }: Pick<AgentInfo, 'channels'>): ('terminal' | 'acp')[] {
  return (['terminal', 'acp'] as const).filter((channel) => channels.includes(channel))
}

/** The request body, with only what this agent supports. */
export function startRequest(
  agent: AgentInfo,
  choices: Choices,
  { prompt, home }: { readonly prompt: string; readonly home?: string | undefined },
): StartRequest {
  return {
    agent: agent.id,
    cwd: fullPath(choices.cwd, home),
    prompt: prompt.trim() || undefined,
    model: choices.model.trim() || undefined,
    mode: findMode(agent.permissionModes, choices.mode)?.id,
    effort: agent.effort.find((each) => each === choices.effort),
    channel: startChannels(agent).find((each) => each === choices.channel),
    worktree: choices.worktree ? choices.worktreeName.trim() || true : undefined,
  }
}

/** Expands the home folder. @example fullPath('~/code', '/home/me') // '/home/me/code' */
export function fullPath(path: string, home: string | undefined): string {
  const written = path.trim()
  return home === undefined ? written : written.replace(/^~(?=[/\\]|$)/, home.replace(/[/\\]$/, ''))
}

/** Recent folders without duplicates. Worktrees are left out, because each was made for one session. */
export function listRecentFolders(sessions: Iterable<SessionInfo>, most = 8): string[] {
  const latest = new Map<string, number>()
  for (const { cwd, updatedAt } of sessions) {
    const { path, worktree } = getProject(cwd)
    if (path === undefined || worktree !== undefined) continue
    if (updatedAt > (latest.get(path) ?? -1)) latest.set(path, updatedAt)
  }
  return [...latest]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, most)
    .map(([path]) => path)
}
