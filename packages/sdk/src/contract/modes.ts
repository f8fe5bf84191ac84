import { RemoraError } from '@remora/protocol/plain'
import type { Agent, Place, Problem } from './agent.ts'

/**
 * What an agent may do without the user's approval: `default` asks first, `acceptEdits` edits files, `plan` only reads, `auto` lets a
 * model decide about each call, `bypassPermissions` runs everything.
 */
export const modes = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions'] as const
export type Mode = (typeof modes)[number]

/** The mode in which a CLI starts, and how to request it. */
export interface StartMode {
  /** One of our modes, or the CLI's own name of another. */
  readonly mode: string
  /** The mode to request on the command line. Without it, the CLI's configuration decides. */
  readonly request?: Mode
  readonly env?: Readonly<Record<string, string>>
}

/** Aliases that are accepted as input. */
const aliases: Readonly<Record<string, Mode>> = { ask: 'default', bypass: 'bypassPermissions' }

/** The names that `toMode` accepts. */
export const modeWords: readonly string[] = [...modes, ...Object.keys(aliases)]

/** Parses the name of a mode; undefined for any other word. @example toMode('ask') // 'default' */
export function toMode(word: string | undefined): Mode | undefined {
  if (word === undefined) return undefined
  return modes.find((mode) => mode === word) ?? (Object.hasOwn(aliases, word) ? aliases[word] : undefined)
}

/** Native ids of modes that run tools without asking, for agents whose modes are known only by id. */
const unattended =
  /^auto$|yolo|bypass|autopilot|full[-_ ]?access|skip[-_ ]?permissions|dangerous|auto[-_ ]?approve/i

/**
 * Whether tools run without approval in this mode, which is one of ours or an agent's native id. `acceptEdits` does not
 * count, because commands still need approval.
 *
 * @example isSelfApproving('yolo') // true
 */
export function isSelfApproving(mode: string): boolean {
  return unattended.test(mode)
}

/** Throws if plan mode would not be read-only. @example refusePlan(await part.planObstacle?.(place)) */
export function refusePlan(obstacle: Problem | undefined): void {
  if (obstacle) throw new RemoraError('unsupported', obstacle.message, { hint: obstacle.hint })
}

/**
 * Gets the mode in which an agent starts, and how to request it. Without a wanted mode this is its asking mode, or the
 * mode set in the user's configuration of the agent.
 *
 * @example (await getStartMode(claude, place)).mode // 'default'
 */
export async function getStartMode(agent: Agent, place: Place, wanted?: Mode): Promise<StartMode> {
  const start = await agent.startMode?.(place, wanted)
  return start ?? { mode: wanted ?? 'default', ...(wanted === undefined ? {} : { request: wanted }) }
}
