import { asRecord } from '../events/fields.ts'
import { parseJsoncObject, removeJsonc } from '../files/jsonc-edit.ts'

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
