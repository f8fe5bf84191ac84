import type { LiveInfo, StartRequest } from '@remora/protocol'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useAgent } from '../state/agents.ts'
import { useConnection } from '../state/connection.ts'
import { toastError } from '../state/toasts.ts'
import type { SessionKey } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { useSessionInfo } from '../sessions/session-list.ts'
import { startLive } from '../sessions/start-live.ts'

export interface Continuing {
  /** Whether the session has ended. False while offline, because the state is unknown. */
  readonly isEnded: boolean
  /** Why the session cannot be resumed. */
  readonly obstacle: string | undefined
  readonly isStarting: boolean
  /** Starts the agent again; undefined if that failed. */
  start(): Promise<LiveInfo | undefined>
}

/** Whether a session has ended, and how to resume it. */
export function useContinue(session: SessionKey, live: LiveInfo | undefined): Continuing {
  const [isStarting, setStarting] = useState(false)
  const [, go] = useLocation()
  const isOnline = useConnection(({ state }) => state === 'online')
  const agent = useAgent(session.agent)
  const info = useSessionInfo(session, live?.state === 'ended')
  const cwd = info?.cwd ?? live?.cwd
  const isEnded = isOnline && (live === undefined || live.state === 'ended')
  const canResume =
    agent === undefined ||
    (agent.features['resume'] === true &&
      agent.channels.some((each) => each === 'terminal' || each === 'acp'))
  const obstacle = canResume ? (cwd === undefined ? words.compose.noFolder : undefined) : words.compose.gone
  return {
    isEnded,
    obstacle: isEnded ? obstacle : undefined,
    isStarting,
    async start() {
      if (cwd === undefined || isStarting) return undefined
      setStarting(true)
      try {
        const started = await resumeSession(session, cwd)
        if (started.session !== session.session) go(routes.session(started), { replace: true })
        return started
      } catch (error) {
        toastError(error)
        return undefined
      } finally {
        setStarting(false)
      }
    },
  }
}

/** Resumes a session in its folder. @example go(routes.session(await resumeSession(key, info.cwd))) */
function resumeSession(
  { agent, session }: SessionKey,
  cwd: string,
  more: Pick<StartRequest, 'prompt' | 'mode' | 'model'> = {},
): Promise<LiveInfo> {
  return startLive({ agent, cwd, resume: session, ...more })
}
