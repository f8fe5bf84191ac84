import type { Agent, Place, ProtectOptions, ProtectedResume } from './agent.ts'

/**
 * To be called before a session is resumed, and its `finish` when the CLI has ended: some CLIs lose sessions which they
 * resume. The place is the folder in which the session worked. Does nothing where there is nothing to fear.
 *
 * @example
 * const { id, finish } = await protectResume(gemini, 'latest', place)
 * // … gemini --resume <id> …
 * const problems = await finish()
 */
export async function protectResume(
  agent: Agent,
  session: string,
  place: Place,
  options: Partial<ProtectOptions> = {},
): Promise<ProtectedResume> {
  const protect = agent.transcripts?.protect
  if (!protect) return { id: session, finish: async () => [] }
  return protect(place, session, { way: 'terminal', ...options })
}
