import { randomUUID } from 'node:crypto'
import { RemoraError, type StartRequest } from '@remora/protocol'
import { type Agent, type Place, type ProtectedResume, protectResume } from '@remora/sdk'

/** The conversation that an agent on a terminal opens. */
export interface PreparedSession {
  /** Its id, if it is known before the agent starts. */
  readonly session: string | undefined
  readonly options: { readonly resume?: string; readonly fork?: true; readonly sessionId?: string }
  /** Restores a resumed session when the agent has ended. */
  readonly protection?: ProtectedResume
}

/** Prepares a new session, a resumed one or a fork. @example await prepareSession(agent, request, place) */
export async function prepareSession(
  agent: Agent,
  { resume, fork }: Pick<StartRequest, 'resume' | 'fork'>,
  place: Place,
): Promise<PreparedSession> {
  const chosen = agent.terminal?.choosesSession(place.version) ? randomUUID() : undefined
  const own = chosen === undefined ? {} : { sessionId: chosen }
  if (resume === undefined) return { session: chosen, options: own }
  if (!fork) {
    const protection = await protectResume(agent, resume, place, { way: 'terminal' })
    return { session: protection.id, options: { resume: protection.id }, protection }
  }
  if (!agent.features(place.version).fork)
    throw new RemoraError('unsupported', `${agent.title} cannot fork a session`, {
      hint: 'Resume the session itself.',
    })
  // Some agents cannot fork, so they resume a copy.
  return agent.acp?.fork
    ? copied(agent, resume, place)
    : { session: chosen, options: { resume, fork, ...own } }
}

async function copied(agent: Agent, session: string, place: Place): Promise<PreparedSession> {
  const copy = await agent.acp?.fork?.(place, session)
  if (!copy)
    throw new RemoraError('not_found', `${agent.title} has no session ${session} in ${place.cwd}`, {
      hint: 'Fork it in the folder where it ran.',
    })
  const protection = await protectResume(agent, copy.id, place, { way: 'terminal' }).catch(
    async (error: unknown) => {
      await copy.discard()
      throw error
    },
  )
  return {
    session: copy.id,
    options: { resume: copy.id },
    protection: {
      id: copy.id,
      async finish() {
        const problems = await protection.finish()
        await copy.discard()
        return problems
      },
    },
  }
}
