import type { HookEntry, HookKind, HookTarget, OurHook } from '../contract/agent.ts'
import { asRecord, asString } from '../events/fields.ts'
import { removeJsonc, setJsonc, parseJsoncObject } from '../files/jsonc-edit.ts'
import { getHookKind, quoteCommand } from './our-hooks.ts'

/**
 * Edits a hooks file of Gemini, Claude or Codex: `{hooks: {Event: [{matcher?, hooks: [{type, command}]}]}}`. Each of our
 * hooks is in its own group at the end of its event. `more` returns other fields, such as the timeout in the CLI's unit.
 *
 * @example createNestedHooks('/home/me/.claude/settings.json', () => ({ timeout: 5 }))
 */
export function createNestedHooks(
  file: string,
  more: (hook: OurHook) => Record<string, unknown>,
): HookTarget {
  return {
    file,
    entries: (text) =>
      readGroups(text).flatMap(({ event, handlers }) => handlers.map((each) => toEntry(event, each))),
    added: (text, hooks) =>
      hooks.reduce((result, hook) => {
        const { event, command } = hook
        const handler = { type: 'command', command: quoteCommand(command), ...more(hook) }
        // No matcher means every tool.
        return setJsonc(result, ['hooks', event, countHooks(result, event)], { hooks: [handler] })
      }, text),
    removed,
  }
}

function removed(text: string, kind?: HookKind, original?: string): string {
  let result = text
  const emptied = new Set<string>()
  // From the end, so that the indexes of earlier entries stay valid.
  for (const { event, index, handlers } of readGroups(text).toReversed()) {
    const ours = handlers.flatMap((each, place) => (isOurs(each, kind) ? [place] : []))
    if (ours.length === 0) continue
    emptied.add(event)
    if (ours.length === handlers.length) result = removeJsonc(result, ['hooks', event, index])
    else
      for (const place of ours.toReversed())
        result = removeJsonc(result, ['hooks', event, index, 'hooks', place])
  }
  if (emptied.size === 0) return text
  result = removeEmptied(result, emptied, original)
  // A file that only our hooks created.
  return original === '' && result.trim() === '{}' ? '' : result
}

interface Group {
  readonly event: string
  readonly index: number
  readonly handlers: readonly unknown[]
}

/** Reads the valid groups; anything else is left unchanged. */
function readGroups(text: string): Group[] {
  return Object.entries(readHookEvents(text)).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? (groups as unknown[]) : []).flatMap((group, index) => {
      const handlers = asRecord(group)?.['hooks']
      return Array.isArray(handlers) ? [{ event, index, handlers: handlers as unknown[] }] : []
    }),
  )
}

function isOurs(handler: unknown, kind: HookKind | undefined): boolean {
  const found = getHookKind(asString(asRecord(handler)?.['command']) ?? '')
  return found !== undefined && (kind === undefined || found === kind)
}

/** Describes a hook, which may also be an HTTP request or a prompt. */
function toEntry(event: string, handler: unknown): HookEntry {
  const fields = asRecord(handler) ?? {}
  const command = ['command', 'url', 'prompt', 'type'].map((name) => asString(fields[name])).find(Boolean)
  const kind = getHookKind(command ?? '')
  return { event, command: command ?? '', ...(kind === undefined ? {} : { kind }) }
}

/** Reads the `hooks` object of a settings file, by event. @example readHookEvents('{"hooks": {"Stop": []}}') // { Stop: [] } */
export function readHookEvents(text: string): Readonly<Record<string, unknown>> {
  return asRecord(parseJsoncObject(text)['hooks']) ?? {}
}

/** Counts the hooks of an event. @example countHooks('{"hooks": {"Stop": [{}]}}', 'Stop') // 1 */
export function countHooks(text: string, event: string): number {
  const present = readHookEvents(text)[event]
  return Array.isArray(present) ? present.length : 0
}

/**
 * Removes the lists that became empty, and the `hooks` object, unless the original text had them.
 *
 * @example removeEmptied('{"a": 1, "hooks": {"Stop": []}}', new Set(['Stop']), '{"a": 1}') // '{"a": 1}'
 */
export function removeEmptied(text: string, emptied: ReadonlySet<string>, original?: string): string {
  let result = text
  const kept = original === undefined ? {} : readHookEvents(original)
  for (const event of emptied) {
    const list = readHookEvents(result)[event]
    if (Array.isArray(list) && list.length === 0 && !Object.hasOwn(kept, event))
      result = removeJsonc(result, ['hooks', event])
  }
  const hadHooks = original !== undefined && Object.hasOwn(parseJsoncObject(original), 'hooks')
  return hadHooks || Object.keys(readHookEvents(result)).length > 0 ? result : removeJsonc(result, ['hooks'])
}
