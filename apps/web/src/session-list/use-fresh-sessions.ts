import { useEffect } from 'react'
import { whenIdle } from '../browser/when-idle.ts'
import { useConnection } from '../state/connection.ts'
import { useLive } from '../state/live.ts'
import { refreshAdoptable } from './adoptable.ts'
import { type Filter, refreshSessions, showKeptSessions, useSessionList } from '../sessions/session-list.ts'

const everyMs = 30_000
/** A server that just started is still importing. */
const whileEmptyMs = 3_000
/** An agent's output reaches the ledger a moment after it becomes ready. */
const afterChangeMs = [400, 3_000]

/** Refreshes the list after sleep, a reconnect or an agent's activity. */
export function useFreshSessions({ agent, node, hidden }: Filter): void {
  const isOnline = useConnection(({ state }) => state === 'online')
  const happened = useLive(
    ({ live, asks }) =>
      [...live.values()].map(({ id, state, session }) => `${id} ${state} ${session}`).join() +
      String(asks.length),
  )
  const isEmpty = useSessionList(({ sessions }) => sessions.size === 0)
  useEffect(() => {
    void showKeptSessions()
  }, [])
  useEffect(() => {
    if (!isOnline) return undefined
    const refresh = (): void => {
      if (document.visibilityState === 'visible') void refreshSessions({ agent, node, hidden })
    }
    refresh()
    document.addEventListener('visibilitychange', refresh)
    return () => document.removeEventListener('visibilitychange', refresh)
  }, [isOnline, agent, node, hidden])
  useEffect(() => {
    if (!isOnline) return undefined
    const refresh = (): void => {
      if (document.visibilityState === 'visible') void refreshSessions({ agent, node, hidden })
    }
    const timer = setInterval(refresh, isEmpty ? whileEmptyMs : everyMs)
    return () => clearInterval(timer)
  }, [isOnline, agent, node, hidden, isEmpty])
  useEffect(() => {
    if (!isOnline) return undefined
    const refresh = (): void => {
      if (document.visibilityState === 'visible') void refreshAdoptable()
    }
    const cancel = whenIdle(refresh)
    const timer = setInterval(refresh, everyMs)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      cancel()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [isOnline])
  useEffect(() => {
    // The first load brings the current state.
    if (!useSessionList.getState().isCurrent) return undefined
    const timers = afterChangeMs.map((ms) =>
      setTimeout(() => void refreshSessions({ agent, node, hidden }), ms),
    )
    return () => timers.forEach(clearTimeout)
  }, [happened])
}
