import type { SessionInfo } from '@remora/protocol/api'
import { useEffect } from 'react'
import { toSessionId } from './merge-page.ts'
import { unchanged, useSessionList } from './session-list.ts'
import { useConnection } from '../state/connection.ts'
import { type SessionKey, api } from '../wire/api.ts'

/** The summary of a session, loaded when it is opened and when `changed` changes. */
export function useSessionInfo({ agent, session }: SessionKey, changed: unknown): SessionInfo | undefined {
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    const { signal } = abort
    unchanged(() => api.get('/api/sessions/:agent/:session', { params: { agent, session }, signal })).then(
      (info) =>
        useSessionList.setState(({ sessions }) => {
          const last = sessions.get(toSessionId(info))?.last
          return {
            sessions: new Map(sessions).set(toSessionId(info), { ...info, ...(last ? { last } : {}) }),
          }
        }),
      () => {
        // A session that just started is not in the ledger yet.
      },
    )
    return () => abort.abort()
  }, [agent, session, isOnline, changed])
  return useSessionList(({ sessions }) => sessions.get(toSessionId({ agent, session })))
}
