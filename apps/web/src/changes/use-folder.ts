import { useEffect, useState } from 'react'
import { useLiveOf } from '../state/live.ts'
import { type SessionKey, api } from '../wire/api.ts'

/** The folder in which a session works, or has worked; empty where nobody knows. */
export function useFolder(session: SessionKey): { readonly folder?: string; readonly error?: unknown } {
  const live = useLiveOf(session)?.cwd
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
