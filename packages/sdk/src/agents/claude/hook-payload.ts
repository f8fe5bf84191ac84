import { createHookReader } from '../../dialects/claude-hooks.ts'
import { dialect } from './dialect.ts'

/** Events that only show that the agent is working. */
const working = new Set([
  'Setup',
  'UserPromptExpansion',
  'PostCompact',
  'SubagentStart',
  'SubagentStop',
  'Elicitation',
  'ElicitationResult',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'ConfigChange',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
])

export const hookReader = createHookReader({ ...dialect, working })
