import type { Desire } from './desire.ts'
import { getSessionKey } from './tally.ts'

/** A command or a variable that agents use and that is missing. */
export interface EnvNeed {
  readonly kind: 'command' | 'variable'
  readonly name: string
  readonly count: number
  readonly sessions: number
  readonly agents: readonly string[]
  readonly last: number
}

/**
 * Commands and variables that are missing on this machine, the most often used first.
 *
 * @example envNeeds(failures) // [{ kind: 'command', name: 'jq', count: 12, … }]
 */
export function envNeeds(failures: readonly Desire[]): EnvNeed[] {
  const found = new Map<string, { need: EnvNeed; sessions: Set<string>; agents: Set<string> }>()
  for (const failure of failures) {
    const kind = getKind(failure)
    if (!kind || failure.detail === undefined) continue
    const key = `${kind} ${failure.detail}`
    const known = found.get(key)
    const sessions = (known?.sessions ?? new Set<string>()).add(getSessionKey(failure))
    const agents = (known?.agents ?? new Set<string>()).add(failure.agent)
    const need: EnvNeed = {
      kind,
      name: failure.detail,
      count: (known?.need.count ?? 0) + 1,
      sessions: sessions.size,
      agents: [...agents].sort(),
      last: Math.max(known?.need.last ?? 0, failure.at),
    }
    found.set(key, { need, sessions, agents })
  }
  return [...found.values()]
    .map(({ need }) => need)
    .sort((one, other) => other.count - one.count || other.last - one.last)
}

function getKind(failure: Desire): EnvNeed['kind'] | undefined {
  if (failure.class === 'missing-command') return 'command'
  return failure.class === 'missing-env' ? 'variable' : undefined
}
