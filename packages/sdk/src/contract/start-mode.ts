import type { Agent, Mode, Place, StartMode } from './agent.ts'

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
