import type { FailureClass } from '../classify/failure-class.ts'
import type { Recovery } from '../analysis/recoveries.ts'
import { aliasFrom } from './suggest-alias.ts'
import { sessionOf } from '../analysis/tally.ts'

/**
 * Classes of which a later success teaches nothing: tests pass because the code was changed, a network comes back, and
 * the way around a refusal is no way to recommend.
 */
const chance: ReadonlySet<FailureClass> = new Set(['test-failure', 'network', 'timeout', 'permission-denied'])

/**
 * The recoveries that others can learn from. Another command in the place of one that is missing needs the same proof
 * as an alias: the name is nearly the same, or two sessions found the same way.
 *
 * @example teaching(recoveries(calls, failures)).map(({ success }) => success.input)
 */
export function teaching(recoveries: readonly Recovery[]): Recovery[] {
  const sessions = new Map<string, Set<string>>()
  for (const recovery of recoveries)
    sessions.set(wayOf(recovery), (sessions.get(wayOf(recovery)) ?? new Set()).add(sessionOf(recovery)))
  return recoveries.filter(
    (recovery) =>
      !chance.has(recovery.class) &&
      (recovery.class !== 'missing-command' ||
        sessions.get(wayOf(recovery))!.size > 1 ||
        aliasFrom([recovery]) !== undefined),
  )
}

function wayOf({ pattern, failure, success }: Recovery): string {
  return JSON.stringify([pattern, failure.input, success.input])
}
