import type { SessionPlace } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { type SessionKey, api } from '../wire/api.ts'

/** The current folder and branch of a session, refreshed when `changed` changes. */
export function usePlace({ agent, session }: SessionKey, changed: unknown): SessionPlace | undefined {
  const isOnline = useConnection(({ state }) => state === 'online')
  const [place, setPlace] = useState<SessionPlace>()
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    api
      .get('/api/sessions/:agent/:session/place', { params: { agent, session }, signal: abort.signal })
      .then(setPlace, () => {
        // The folder is unknown.
      })
    return () => abort.abort()
  }, [agent, session, isOnline, changed])
  return place
}
