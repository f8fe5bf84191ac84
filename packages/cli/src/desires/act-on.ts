import type { Action } from '../commands/desires.ts'
import type { Io } from '../io.ts'
import type { Input } from '../verb.ts'

type Act = (input: Input, io: Io) => Promise<number>

const acts: Readonly<Record<Action, () => Promise<Act>>> = {
  paths: async () => (await import('./paths.ts')).showPaths,
  list: async () => (await import('./list.ts')).listDesires,
  inspect: async () => (await import('./inspect.ts')).inspectPattern,
  similar: async () => (await import('./similar.ts')).showSimilar,
  stats: async () => (await import('./stats.ts')).showStats,
  turns: async () => (await import('./turns.ts')).showTurns,
  recoveries: async () => (await import('./recoveries.ts')).showRecoveries,
  struggling: async () => (await import('./struggling.ts')).showStruggling,
  'env-needs': async () => (await import('./env-needs.ts')).showEnvNeeds,
  export: async () => (await import('./export.ts')).exportCalls,
  effect: async () => (await import('../pave/effect.ts')).showEffect,
}

/** Does one of the things that can be asked of failures; each is loaded only when it is used. */
export async function actOn(action: Action, input: Input, io: Io): Promise<number> {
  return (await acts[action]())(input, io)
}
