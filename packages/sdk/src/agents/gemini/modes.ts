import type { AgentMode } from '../../contract/agent.ts'
import { since } from './versions.ts'

/** A mode and how the screen shows it. The ids are the values of `--approval-mode`. */
export interface GeminiMode extends AgentMode {
  readonly screen: RegExp
}

export const modes: readonly GeminiMode[] = [
  // As its screen calls it since 0.61; older versions show no mode.
  { id: 'default', label: 'Manual', like: 'ask', screen: /^ ?(?:manual\b|Shift\+Tab to accept edits)/ },
  {
    id: 'auto_edit',
    label: 'Auto edit',
    like: 'acceptEdits',
    aliases: ['autoEdit'],
    acp: 'autoEdit',
    screen: /^ ?(?:auto-accept edits|accepting edits)\b/,
  },
  { id: 'plan', label: 'Plan', like: 'plan', since: since.plan, screen: /^ ?plan(?: mode)?\b/ },
  { id: 'yolo', label: 'YOLO', like: 'bypass', screen: /^ ?(?:YOLO\b)/ },
]
