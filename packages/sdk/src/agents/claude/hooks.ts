import { join } from 'node:path'
import type { HooksPart } from '../../contract/agent.ts'
import { createNestedHooks } from '../../dialects/nested-hooks.ts'
import { hookTimeoutMs } from '../../dialects/our-hooks.ts'
import { getClaudeFolder } from './home.ts'
import { findHookObstacles } from './hook-obstacles.ts'
import { hookReader } from './hook-payload.ts'

// All events but WorktreeCreate and WorktreeRemove: a hook on those replaces what the CLI does itself.
const events = [
  'SessionStart',
  'SessionEnd',
  'Setup',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'MessageDisplay',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'Notification',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Elicitation',
  'ElicitationResult',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'ConfigChange',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
] as const

// Events for prompts, calls, waiting and the end, but none that repeats for each piece of an answer.
const defaultEvents = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
  'Notification',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
] as const satisfies readonly (typeof events)[number][]

export const hooks: HooksPart = {
  events,
  defaultEvents,
  gates: ['PreToolUse'],
  approval: 'PermissionRequest',
  async targets(place, scope) {
    const folder = scope === 'project' ? join(place.cwd, '.claude') : getClaudeFolder(place)
    const file = typeof scope === 'object' ? scope.file : join(folder, 'settings.json')
    // The timeout is in seconds.
    return [createNestedHooks(file, ({ kind }) => ({ timeout: hookTimeoutMs[kind] / 1000 }))]
  },
  otherFiles: /^settings\.local\.json$/,
  obstacles: findHookObstacles,
  reader: hookReader,
}
