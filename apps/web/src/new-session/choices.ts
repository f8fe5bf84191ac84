import type { StartRequest } from '@remora/protocol'
import type { AgentInfo } from '@remora/protocol/api'
import { isSelfApproving } from '../state/modes.ts'
import { local } from '../state/local.ts'

/** What somebody has chosen for a new session; empty is what the agent usually does. */
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

/** Kept for the next time, except a worktree's name and a mode that approves by itself. */
export function rememberChoices(agent: string, choices: Choices): void {
  local.write('new-agent', agent)
  local.write(`new:${agent}`, {
    ...choices,
    worktreeName: '',
    mode: isSelfApproving(choices.mode) ? '' : choices.mode,
  })
}

export function lastAgent(): string | undefined {
  return local.read<string>('new-agent')
}

/** The ways in which an agent can be started and talked to. */
export function startChannels({ channels }: Pick<AgentInfo, 'channels'>): ('terminal' | 'acp')[] {
  return (['terminal', 'acp'] as const).filter((channel) => channels.includes(channel))
}

/** What the server is asked for: only what this agent has. */
export function startRequest(
  agent: AgentInfo,
  choices: Choices,
  { prompt, home }: { readonly prompt: string; readonly home?: string | undefined },
): StartRequest {
  const channel = startChannels(agent).find((each) => each === choices.channel)
  const name = choices.worktreeName.trim()
  return {
    agent: agent.id,
    cwd: fullPath(choices.cwd, home),
    ...(prompt.trim() === '' ? {} : { prompt: prompt.trim() }),
    ...(choices.model.trim() === '' ? {} : { model: choices.model.trim() }),
    ...(agent.modes.includes(choices.mode) ? { mode: choices.mode } : {}),
    ...(agent.effort.includes(choices.effort) ? { effort: choices.effort } : {}),
    ...(channel ? { channel } : {}),
    ...(choices.worktree ? { worktree: name === '' ? true : name } : {}),
  }
}

/** As a shell would read it. @example fullPath('~/code', '/home/me') // '/home/me/code' */
export function fullPath(path: string, home: string | undefined): string {
  const written = path.trim()
  return home === undefined ? written : written.replace(/^~(?=[/\\]|$)/, home.replace(/[/\\]$/, ''))
}
