import type { ModeInfo } from './live.ts'

/** What a mode allows without approval, in words that mean the same for every agent. */
export const modeLikes = ['ask', 'acceptEdits', 'plan', 'auto', 'bypass'] as const
/**
 * `ask` asks first, `acceptEdits` edits files, `plan` only reads, `auto` lets a model decide about each call, `bypass` runs
 * everything.
 */
export type ModeLike = (typeof modeLikes)[number]

/** The names under which the main modes are stored and sent: those of Claude Code. */
const mainNames: Readonly<Record<ModeLike, string>> = {
  ask: 'default',
  acceptEdits: 'acceptEdits',
  plan: 'plan',
  auto: 'auto',
  bypass: 'bypassPermissions',
}

/** The names of the main modes, in order. */
export const mainModes: readonly string[] = modeLikes.map((like) => mainNames[like])

/** The words that mean the same for every agent. @example toModeLike('default') // 'ask' */
export function toModeLike(word: string | undefined): ModeLike | undefined {
  return modeLikes.find((like) => like === word || mainNames[like] === word)
}

/**
 * Finds a mode by its native id, another of its names, or a word that means the same for every agent. Such a word is never
 * taken for a native id, so that `auto` cannot find a mode that asks.
 *
 * @example findMode(modes, 'bypass')?.id // 'yolo'
 */
export function findMode<M extends ModeInfo>(modes: readonly M[], word: string | undefined): M | undefined {
  if (word === undefined) return undefined
  const wanted = toModeLike(word)
  return wanted === undefined
    ? modes.find(({ id, aliases }) => id === word || aliases?.includes(word))
    : modes.find(({ like }) => like === wanted)
}

/**
 * The name under which a mode is stored and sent: that of Claude Code for the first mode of each kind, which every client
 * knows, and the native id for others.
 *
 * @example getModeName(modes, yolo) // 'bypassPermissions'
 */
export function getModeName(modes: readonly ModeInfo[], mode: ModeInfo): string {
  const { like } = mode
  return like !== undefined && modes.find((each) => each.like === like) === mode ? mainNames[like] : mode.id
}

/** Native ids of modes that run tools without asking, for modes of which only the id is known. */
const unattended =
  /^auto$|yolo|bypass|autopilot|full[-_ ]?access|skip[-_ ]?permissions|dangerous|auto[-_ ]?approve/i

/**
 * Whether tools run without approval in this mode. `acceptEdits` does not count, because commands still need approval.
 *
 * @example isSelfApproving({ id: 'yolo', like: 'bypass' }) // true
 */
export function isSelfApproving(mode: string | Pick<ModeInfo, 'id' | 'like'>): boolean {
  const { id, like = toModeLike(id) } = typeof mode === 'string' ? { id: mode } : mode
  return like === undefined ? unattended.test(id) : like === 'auto' || like === 'bypass'
}
