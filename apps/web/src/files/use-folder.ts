import { useEffect, useState } from 'react'
import { useLiveSession } from '../state/live.ts'
import { type SessionKey, api } from '../wire/api.ts'

/** The working folder of a session; empty if unknown. */
export function useFolder(session: SessionKey): { readonly folder?: string; readonly error?: unknown } {
  const live = useLiveSession(session)?.cwd
  const [found, setFound] = useState<{ readonly folder?: string; readonly error?: unknown }>({})
  const { agent, session: id } = session
  useEffect(() => {
    if (live !== undefined) return undefined
    const over = new AbortController()
    api.get('/api/sessions/:agent/:session', { params: { agent, session: id }, signal: over.signal }).then(
      ({ cwd = '' }) => setFound({ folder: cwd }),
      (error: unknown) => {
        if (!over.signal.aborted) setFound({ error })
      },
    )
    return () => over.abort()
  }, [agent, id, live])
  return live === undefined ? found : { folder: live }
}
