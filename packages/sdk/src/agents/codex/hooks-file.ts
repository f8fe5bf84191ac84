import type { HookKind, HookTarget } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { setJsonc } from '../../files/jsonc-edit.ts'
import { readHookEvents } from '../../dialects/hook-lists.ts'
import { createNestedHooks } from '../../dialects/nested-hooks.ts'
import { getHookKind, hookTimeoutMs } from '../../dialects/our-hooks.ts'
import { shortEvents } from './hooks-trust.ts'
import { notifyEvent } from './notify.ts'

/**
 * A hooks.json of Codex. The user trusts a hook at its index, so the index of other hooks must not change: Remora's hooks
 * are added after them, and a removed hook that others follow leaves an empty group.
 *
 * @example hooksTarget('/home/me/.codex/hooks.json').added('', [{ kind: 'record', event: 'Stop', command }])
 */
export function hooksTarget(file: string): HookTarget {
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
