import { join } from 'node:path'
import type { HooksPart } from '../../agent.ts'
import { claudeFolder } from './home.ts'
import { hookReader } from './hook-payload.ts'

// All names in the program but WorktreeCreate and WorktreeRemove: a hook on those replaces what the CLI does itself.
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

export const hooks: HooksPart = {
  events,
  reader: hookReader,
  file: (place) => join(claudeFolder(place), 'settings.json'),
  config(command) {
    // No matcher means every tool. The timeout is in seconds.
    const entry = (event: string) => [{ hooks: [{ type: 'command', command: command(event), timeout: 5 }] }]
    const config = { hooks: Object.fromEntries(events.map((event) => [event, entry(event)])) }
    return `${JSON.stringify(config, null, 2)}\n`
  },
}
