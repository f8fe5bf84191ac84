import type { AgentMode } from '../../contract/agent.ts'

/** A mode: one of OpenCode's agents, with the permissions with which it starts. */
export interface OpenCodeMode extends AgentMode {
  /** The name of the agent on the screen. */
  readonly agent: 'Build' | 'Plan'
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export const modes: readonly OpenCodeMode[] = [
  { id: 'build', label: 'Build', like: 'ask', agent: 'Build', args: [] },
  {
    id: 'acceptEdits',
    label: 'Build, accept edits',
    like: 'acceptEdits',
    acp: [],
    agent: 'Build',
    args: [],
    // There is no flag for it. The variable is merged over the permissions of the user's configuration.
    env: { OPENCODE_PERMISSION: '{"edit":"allow"}' },
  },
  { id: 'plan', label: 'Plan', like: 'plan', agent: 'Plan', args: ['--agent', 'plan'] },
  {
    id: 'bypassPermissions',
    label: 'Build, approve everything',
    like: 'bypass',
    acp: [],
    agent: 'Build',
    args: ['--auto'],
  },
]
