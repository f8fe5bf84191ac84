import { join } from 'node:path'
import type { HooksPart } from '../../contract/agent.ts'
import { createHookReader } from '../../dialects/claude-hooks.ts'
import { createNestedHooks } from '../../dialects/nested-hooks.ts'
import { hookNames, hookTimeoutMs } from '../../dialects/our-hooks.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { dialect } from './dialect.ts'
import { findHookObstacles } from './health.ts'
import { getQwenFolder } from './home.ts'

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
] as const

/** Events that only show that the agent is working. */
const working = [
  'MessageDisplay',
  'PostToolBatch',
  'PostCompact',
  'UserPromptExpansion',
  'InstructionsLoaded',
  'TodoCreated',
  'TodoCompleted',
  'SessionDelete',
] as const

export const hooks: HooksPart = {
  events: [...defaultEvents, ...working],
  defaultEvents,
  // Without `approval`: a waiting PermissionRequest hook delays the dialog.
  gates: ['PreToolUse'],
  async targets(place, scope) {
    const folder = scope === 'project' ? join(place.cwd, '.qwen') : getQwenFolder(place)
    const file = typeof scope === 'object' ? scope.file : join(folder, 'settings.json')
    // The timeout is in milliseconds. The name is shown by /hooks.
    return [createNestedHooks(file, ({ kind }) => ({ name: hookNames[kind], timeout: hookTimeoutMs[kind] }))]
  },
  obstacles: findHookObstacles,
  reader: createHookReader({
    ...dialect,
    working: new Set([...working, 'SubagentStart', 'SubagentStop']),
    toClaudePayload,
  }),
}

/**
 * The id of a call in all other records is `tool_call_id`. Prompts are numbered by each process, so that the ids of a
 * resumed session begin again. A prompt from standard input is followed by two line feeds, and
 * after each result the hook runs again with an empty prompt.
 */
function toClaudePayload(payload: AgentRecord): AgentRecord {
  const { tool_use_id: _, prompt_id: __, tool_call_id: id, ...rest } = payload
  const isWorking = rest['prompt'] === '' || rest['notification_type'] === 'auth_success'
  if (isWorking) return { ...rest, hook_event_name: 'InstructionsLoaded' }
  const prompt = rest['prompt']
  return {
    ...rest,
    ...(id === undefined ? {} : { tool_use_id: id }),
    ...(typeof prompt === 'string' ? { prompt: prompt.replace(/\n\n$/, '') } : {}),
  }
}
