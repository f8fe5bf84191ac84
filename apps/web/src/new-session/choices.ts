import type { StartRequest } from '@remora/protocol'
import type { AgentInfo } from '@remora/protocol/api'
import { isSelfApproving } from '../state/modes.ts'
import { local } from '../state/local.ts'

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

/** Expands the home folder. @example fullPath('~/code', '/home/me') // '/home/me/code' */
export function fullPath(path: string, home: string | undefined): string {
  const written = path.trim()
  return home === undefined ? written : written.replace(/^~(?=[/\\]|$)/, home.replace(/[/\\]$/, ''))
}
