import type { AgentMode } from '../../contract/agent.ts'

/** The ids are the values of `--approval-mode`, and the same in every channel. */
export const modes: readonly AgentMode[] = [
  { id: 'default', label: 'Default', like: 'ask' },
  { id: 'auto-edit', label: 'Auto edit', like: 'acceptEdits' },
  { id: 'plan', label: 'Plan', like: 'plan' },
  { id: 'auto', label: 'Auto', like: 'auto' },
  { id: 'yolo', label: 'YOLO', like: 'bypass' },
]
