import { useEffect, useRef, useState } from 'react'
import { whenIdle } from '../app/when-idle.ts'
import { useConnection, useIsViewer } from '../state/connection.ts'
import { type SessionKey, api } from '../wire/api.ts'
import { showBadge } from './badge.ts'

/**
 * Keeps the number on the icon right while the app is open: what waits, and what was done and not looked at. The latter
 * only the server knows; it says so whenever a session is looked at.
 */
export function useKeptBadge(looking: SessionKey | undefined, asks: number): void {
  const isOnline = useConnection(({ state }) => state === 'online')
  // Whoever only looks does not look for the others.
  const isViewer = useIsViewer()
  const [unseen, setUnseen] = useState(0)
  const waiting = useRef(asks)
  const { agent, session } = looking ?? {}
  useEffect(() => {
    waiting.current = asks
    if (isOnline) showBadge(navigator, asks + unseen)
  }, [isOnline, asks, unseen])
  useEffect(() => {
    if (!isOnline) return undefined
    const over = new AbortController()
    const look = (): void => {
      if (document.visibilityState === 'hidden') return
      const asked =
        agent !== undefined && session !== undefined && !isViewer
          ? api.post('/api/push/seen', { body: { agent, session }, signal: over.signal })
          : api.get('/api/push', { signal: over.signal })
      asked.then(
        ({ badge }) => setUnseen(Math.max(0, badge - waiting.current)),
        () => {
          // The number stays as it was.
        },
      )
    }
    const cancel = whenIdle(look)
    document.addEventListener('visibilitychange', look, { signal: over.signal })
    return () => {
      cancel()
      over.abort()
    }
  }, [isOnline, agent, session, isViewer])
}
