import { join } from 'node:path'
import type { HooksPart } from '../../contract/agent.ts'
import { getCodexFolder } from './home.ts'
import { findHookObstacles } from './hook-obstacles.ts'
import { hookReader } from './hook-payload.ts'
import { hooksTarget } from './hooks-file.ts'
import { notifyEvent, notifyTarget } from './notify.ts'

const events = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreModelRequest',
  'PostModelRequest',
  'PreToolUse',
  'PostToolUse',
  'PermissionRequest',
  'PreCompact',
  'PostCompact',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'Interrupt',
  notifyEvent,
] as const

// Without the events before and after every request to the model.
const defaultEvents = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PermissionRequest',
  'PreCompact',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'Interrupt',
  notifyEvent,
] as const satisfies readonly (typeof events)[number][]

/** Codex skips hooks that the user has not trusted, in `exec` silently; its terminal asks at the next start. */
export const hooks: HooksPart = {
  events,
  defaultEvents,
  gates: ['PreToolUse'],
  async targets(place, scope) {
    if (typeof scope === 'object')
      return [scope.file.endsWith('.toml') ? notifyTarget(scope.file) : hooksTarget(scope.file)]
    // Codex reads hooks from a project, but no `notify`.
    if (scope === 'project') return [hooksTarget(join(place.cwd, '.codex', 'hooks.json'))]
    const folder = getCodexFolder(place)
    return [hooksTarget(join(folder, 'hooks.json')), notifyTarget(join(folder, 'config.toml'))]
  },
  obstacles: findHookObstacles,
  reader: hookReader,
}
