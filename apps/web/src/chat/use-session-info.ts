import type { SessionInfo } from '@remora/protocol/api'
import { useEffect } from 'react'
import { sessionId } from '../sessions/merge-page.ts'
import { unchanged, useSessionList } from '../sessions/session-list.ts'
import { useConnection } from '../state/connection.ts'
import { type SessionKey, api } from '../wire/api.ts'

/** A session at a glance. It is asked for when it is opened, and again when it has begun to go on or has ended. */
export function useSessionInfo({ agent, session }: SessionKey, changed: unknown): SessionInfo | undefined {
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    const { signal } = abort
    unchanged(() => api.get('/api/sessions/:agent/:session', { params: { agent, session }, signal })).then(
      (told) =>
        useSessionList.setState(({ sessions }) => {
          const last = sessions.get(sessionId(told))?.last
          return { sessions: new Map(sessions).set(sessionId(told), { ...told, ...(last ? { last } : {}) }) }
        }),
      () => {
        // One that has only begun is not in the ledger yet.
      },
    )
    return () => abort.abort()
  }, [agent, session, isOnline, changed])
  return useSessionList(({ sessions }) => sessions.get(sessionId({ agent, session })))
}
