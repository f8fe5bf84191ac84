import { randomUUID } from 'node:crypto'
import { RemoraError, type StartRequest } from '@remora/protocol'
import { type Agent, type Place, type ProtectedResume, protectResume } from '@remora/sdk'

/** With which conversation an agent on a terminal begins. */
export interface PreparedSession {
  /** Its id, where that is known before the agent has said a word. */
  readonly session: string | undefined
  readonly options: { readonly resume?: string; readonly fork?: true; readonly sessionId?: string }
  /** Of one that is gone on with: what is to be done when the agent has ended. */
  readonly protection?: ProtectedResume
}

/** A new one, one that is gone on with, or a copy of one. @example await prepareSession(agent, request, place) */
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
  // Those that cannot do it by themselves go on in a copy that is made for them.
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
