import {
  type ModeInfo,
  RemoraError,
  findMode,
  getModeName,
  modeLikes,
  toModeLike,
} from '@remora/protocol/plain'
import { atLeast, createUnsupportedError, requireVersion } from '../versions/version.ts'
import type { Agent, Place, Problem } from './agent.ts'

/** The names of the main modes, which mean the same for every agent. An agent's other modes have native ids. */
export const modes = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions'] as const
/**
 * A permission mode by its name: `default` asks first, `acceptEdits` edits files, `plan` only reads, `auto` lets a model
 * decide about each call, `bypassPermissions` runs everything; any other is a native id.
 */
export type Mode = (typeof modes)[number] | (string & {})

/** The words that mean the same for every agent: the names of the main modes, and what they are like. */
export const modeWords: readonly string[] = [...new Set([...modes, ...modeLikes])]

/** A mode of an agent. */
export interface AgentMode extends ModeInfo {
  /** The first version that has it; every version by default. */
  readonly since?: string
  /** Its ids over ACP, the preferred first; `id` by default. Without any, the whole process has to start in it. */
  readonly acp?: string | readonly string[]
}

/** An agent's title and modes, for messages. */
export type ModeOwner = Pick<Agent, 'title' | 'modes'>

/** The mode in which a CLI starts, and how to request it. */
export interface StartMode {
  readonly mode: Mode
  /** The mode to request on the command line. Without it, the CLI's configuration decides. */
  readonly request?: Mode
  readonly env?: Readonly<Record<string, string>>
}

/** The modes of a version. @example listModes(gemini, '0.27.4').map(({ label }) => label) */
export function listModes({ modes = [] }: Pick<Agent, 'modes'>, version?: string): readonly AgentMode[] {
  return modes.filter(({ since }) => since === undefined || atLeast(version, since))
}

/** Parses the name of a main mode; undefined for any other word. @example toMode('ask') // 'default' */
export function toMode(word: string | undefined): (typeof modes)[number] | undefined {
  return modes.find((mode) => word !== undefined && toModeLike(mode) === toModeLike(word))
}

/**
 * Finds a mode of an agent by any of its names. Throws `unsupported` if this version does not have it.
 *
 * @example requireMode(gemini, 'bypass', '0.61.0').id // 'yolo'
 */
export function requireMode<M extends AgentMode>(
  { title, modes = [] }: { readonly title: string; readonly modes?: readonly M[] },
  word: string,
  version: string | undefined,
): M {
  const mode = findMode(modes, word)
  if (mode === undefined) throw createUnsupportedError(title, `the mode ${word}`, describeModes(modes))
  if (mode.since !== undefined) requireVersion(title, `mode ${word}`, version, mode.since)
  return mode
}

/**
 * The name of an agent's mode by any of its names. Throws `unsupported` for others, unless its modes are known only once a
 * session is open.
 *
 * @example toModeName(gemini, 'yolo') // 'bypassPermissions'
 */
export function toModeName(agent: ModeOwner, word: string, version?: string): Mode {
  if (agent.modes === undefined) return toMode(word) ?? word
  return getModeName(agent.modes, requireMode(agent, word, version))
}

/** Throws for a word that names no mode in any version of the agent. @example checkModeWord(gemini, 'yolo') */
export function checkModeWord({ title, modes }: ModeOwner, word: string): void {
  if (modes === undefined || toModeLike(word) !== undefined || findMode(modes, word)) return
  throw new RemoraError('usage', `${title} has no mode "${word}"`, { hint: describeModes(modes) })
}

function describeModes(modes: readonly ModeInfo[]): string {
  return modes.length === 0 ? 'It has no modes.' : `Its modes: ${modes.map(({ id }) => id).join(', ')}`
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
  const name = wanted === undefined ? undefined : toModeName(agent, wanted, place.version)
  const start = await agent.startMode?.(place, name)
  return start ?? { mode: name ?? 'default', ...(name === undefined ? {} : { request: name }) }
}
