import type { SessionPlace } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { type SessionKey, api } from '../wire/api.ts'

/** Where a session works and on which branch, as it is now; asked for again when it has changed what it does. */
export function usePlace({ agent, session }: SessionKey, changed: unknown): SessionPlace | undefined {
  const isOnline = useConnection(({ state }) => state === 'online')
  const [place, setPlace] = useState<SessionPlace>()
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    api
      .get('/api/sessions/:agent/:session/place', { params: { agent, session }, signal: abort.signal })
      .then(setPlace, () => {
        // Its folder is not known.
      })
    return () => abort.abort()
  }, [agent, session, isOnline, changed])
  return place
}
