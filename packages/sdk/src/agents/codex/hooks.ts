import { join } from 'node:path'
import type { HooksPart, HookKind, HookTarget } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { setJsonc } from '../../files/jsonc-edit.ts'
import { readHookEvents, createNestedHooks } from '../../dialects/nested-hooks.ts'
import { getHookKind, hookTimeoutMs } from '../../dialects/our-hooks.ts'
import { getCodexFolder } from './home.ts'
import { findHookObstacles } from './hook-obstacles.ts'
import { hookReader } from './hook-payload.ts'
import { notifyEvent, notifyTarget } from './notify.ts'
import { shortEvents } from './hooks-trust.ts'

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

/**
 * A hooks.json of Codex. The user trusts a hook at its index, so the index of other hooks must not change: Remora's hooks
 * are added after them, and a removed hook that others follow leaves an empty group.
 *
 * @example hooksTarget('/home/me/.codex/hooks.json').added('', [{ kind: 'record', event: 'Stop', command }])
 */
function hooksTarget(file: string): HookTarget {
  const target = createNestedHooks(file, ({ kind, event }) => ({
    timeout: Math.min(hookTimeoutMs[kind] / 1000, shortEvents[event] ?? Infinity),
  }))
  return {
    ...target,
    added: (text, ours) =>
      target.added(
        text,
        ours.filter(({ event }) => event !== notifyEvent),
      ),
    removed: (text, kind, original) => target.removed(withIndexesKept(text, kind), kind, original),
  }
}

function withIndexesKept(text: string, kind: HookKind | undefined): string {
  let result = text
  for (const [event, groups] of Object.entries(readHookEvents(text))) {
    if (!Array.isArray(groups)) continue
    const ours = groups.map((group) => isOurs(group, kind))
    for (let index = ours.lastIndexOf(false) - 1; index >= 0; index--)
      if (ours[index]) result = setJsonc(result, ['hooks', event, index], { hooks: [] })
  }
  return result
}

function isOurs(group: unknown, kind: HookKind | undefined): boolean {
  const handlers = asRecord(group)?.['hooks']
  if (!Array.isArray(handlers) || handlers.length === 0) return false
  return handlers.every((handler) => {
    const found = getHookKind(asString(asRecord(handler)?.['command']) ?? '')
    return found !== undefined && (kind === undefined || found === kind)
  })
}
