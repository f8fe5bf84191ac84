import { useEffect, useRef, useState } from 'react'
import { whenIdle } from '../browser/when-idle.ts'
import { useConnection, useIsViewer } from '../state/connection.ts'
import { type SessionKey, api } from '../wire/api.ts'
import { showBadge } from './badge.ts'

/**
 * Keeps the icon badge up to date while the app is open. The server counts unseen sessions and updates the count
 * when a session is opened.
 */
export function useBadge(openSession: SessionKey | undefined, asks: number): void {
  const isOnline = useConnection(({ state }) => state === 'online')
  // A viewer must not mark sessions as seen for others.
  const isViewer = useIsViewer()
  const [unseen, setUnseen] = useState(0)
  const waiting = useRef(asks)
  const { agent, session } = openSession ?? {}
  useEffect(() => {
    waiting.current = asks
    if (isOnline) showBadge(navigator, asks + unseen)
  }, [isOnline, asks, unseen])
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    const refresh = (): void => {
      if (document.visibilityState === 'hidden') return
      const asked =
        agent !== undefined && session !== undefined && !isViewer
          ? api.post('/api/push/seen', { body: { agent, session }, signal: abort.signal })
          : api.get('/api/push', { signal: abort.signal })
      asked.then(
        ({ badge }) => setUnseen(Math.max(0, badge - waiting.current)),
        () => {
          // The badge stays unchanged.
        },
      )
    }
    const cancel = whenIdle(refresh)
    document.addEventListener('visibilitychange', refresh, { signal: abort.signal })
    return () => {
      cancel()
      abort.abort()
    }
  }, [isOnline, agent, session, isViewer])
}
