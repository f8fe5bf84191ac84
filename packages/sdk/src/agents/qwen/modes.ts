import type { AgentMode } from '../../contract/agent.ts'

/** A mode and how the screen shows it. */
export interface QwenMode extends AgentMode {
  readonly screen: RegExp
}

/** The ids are the values of `--approval-mode`, and the same in every channel. */
export const modes: readonly QwenMode[] = [
  { id: 'default', label: 'Default', like: 'ask', screen: /^⏸ Ask permissions\b/ },
  { id: 'auto-edit', label: 'Auto edit', like: 'acceptEdits', screen: /^auto-accept edits\b/ },
  { id: 'plan', label: 'Plan', like: 'plan', screen: /^plan mode\b/ },
  { id: 'auto', label: 'Auto', like: 'auto', screen: /^Auto mode\b/ },
  { id: 'yolo', label: 'YOLO', like: 'bypass', screen: /^YOLO mode\b/ },
]
