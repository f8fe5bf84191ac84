import type { SessionPlace } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { type SessionKey, api, sessionPath } from '../wire/api.ts'

/** The current folder and branch of a session, refreshed when `changed` changes. */
export function usePlace({ agent, session }: SessionKey, changed: unknown): SessionPlace | undefined {
  const isOnline = useConnection(({ state }) => state === 'online')
  const [place, setPlace] = useState<SessionPlace>()
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    api
      .get<SessionPlace>(sessionPath({ agent, session }, '/place'), undefined, abort.signal)
      .then(setPlace, () => {
        // The folder is unknown.
      })
    return () => abort.abort()
  }, [agent, session, isOnline, changed])
  return place
}
