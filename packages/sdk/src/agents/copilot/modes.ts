import type { AgentMode } from '../../contract/agent.ts'

/** A mode, and the arguments with which a process starts in it. */
export interface CopilotMode extends AgentMode {
  readonly args: readonly string[]
}

/** The ids over ACP are addresses. */
const acpMode = 'https://agentclientprotocol.com/protocol/session-modes#'

export const modes: readonly CopilotMode[] = [
  { id: 'interactive', label: 'Agent', like: 'ask', aliases: ['agent'], acp: `${acpMode}agent`, args: [] },
  {
    id: 'allow-write',
    label: 'Agent, allow edits',
    like: 'acceptEdits',
    acp: [],
    args: ['--allow-tool=write'],
  },
  { id: 'plan', label: 'Plan', like: 'plan', acp: `${acpMode}plan`, args: ['--mode', 'plan'] },
  {
    id: 'allow-all',
    label: 'Agent, allow all',
    like: 'bypass',
    aliases: ['yolo'],
    acp: [],
    args: ['--allow-all'],
  },
  // It allows everything too, and continues by itself until the model calls the task complete.
  {
    id: 'autopilot',
    label: 'Autopilot',
    like: 'bypass',
    acp: `${acpMode}autopilot`,
    args: ['--mode', 'autopilot', '--allow-all'],
  },
]
