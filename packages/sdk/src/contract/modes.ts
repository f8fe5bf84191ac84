import { RemoraError } from '@remora/protocol/plain'
import { type Agent, type Mode, modes, type Place, type Problem, type StartMode } from './agent.ts'

/** Other words for our modes that are accepted as input. */
const aliases: Readonly<Record<string, Mode>> = { ask: 'default', bypass: 'bypassPermissions' }

/** The words that `toMode` accepts. */
export const modeWords: readonly string[] = [...modes, ...Object.keys(aliases)]

/** Our mode for a word that a user typed; undefined for any other word. @example toMode('ask') // 'default' */
export function toMode(word: string | undefined): Mode | undefined {
  if (word === undefined) return undefined
  return modes.find((mode) => mode === word) ?? (Object.hasOwn(aliases, word) ? aliases[word] : undefined)
}

/** Native ids of modes in which an agent runs tools without asking, for agents that we know only by their ids. */
const unattended =
  /^auto$|yolo|bypass|autopilot|full[-_ ]?access|skip[-_ ]?permissions|dangerous|auto[-_ ]?approve/i

/**
 * Whether tools run without a person's decision in this mode: one of our modes, or an id that an agent uses.
 * `acceptEdits` is not one of them, because commands are still asked for.
 *
 * @example isSelfApproving('yolo') // true
 */
export function isSelfApproving(mode: string): boolean {
  return unattended.test(mode)
}

/** Throws where plan mode would not be read-only. @example refusePlan(await part.planObstacle?.(place)) */
export function refusePlan(obstacle: Problem | undefined): void {
  if (obstacle) throw new RemoraError('unsupported', obstacle.message, { hint: obstacle.hint })
}

/**
 * The mode in which an agent starts, and how to request it. Without a wanted mode this is its asking mode, or the mode
 * that the user's own configuration of the agent sets.
 *
 * @example (await getStartMode(claude, place)).mode // 'default'
 */
export async function getStartMode(agent: Agent, place: Place, wanted?: Mode): Promise<StartMode> {
  const start = await agent.startMode?.(place, wanted)
  return start ?? { mode: wanted ?? 'default', ...(wanted === undefined ? {} : { request: wanted }) }
}
