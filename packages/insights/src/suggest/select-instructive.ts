import type { FailureClass } from '../classify/failure-class.ts'
import type { Recovery } from '../analysis/recoveries.ts'
import { aliasFrom } from './suggest-alias.ts'
import { getSessionKey } from '../analysis/tally.ts'

/**
 * Classes whose recoveries are no lesson: tests pass because the code changed, a network comes back, and a way around
 * a refusal must not be recommended.
 */
const chance: ReadonlySet<FailureClass> = new Set(['test-failure', 'network', 'timeout', 'permission-denied'])

/**
 * Selects the recoveries that are useful as lessons. A replacement for a missing command needs the same evidence as an
 * alias: a similar name, or two sessions with the same replacement.
 *
 * @example selectInstructive(recoveries(calls, failures)).map(({ success }) => success.input)
 */
export function selectInstructive(recoveries: readonly Recovery[]): Recovery[] {
  const sessions = new Map<string, Set<string>>()
  for (const recovery of recoveries)
    sessions.set(toKey(recovery), (sessions.get(toKey(recovery)) ?? new Set()).add(getSessionKey(recovery)))
  return recoveries.filter(
    (recovery) =>
      !chance.has(recovery.class) &&
      (recovery.class !== 'missing-command' ||
        sessions.get(toKey(recovery))!.size > 1 ||
        aliasFrom([recovery]) !== undefined),
  )
}

function toKey({ pattern, failure, success }: Recovery): string {
  return JSON.stringify([pattern, failure.input, success.input])
}
