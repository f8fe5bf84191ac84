import type { Changes } from '@remora/protocol/api'
import { useCallback, useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { cache } from '../state/cache.ts'
import { useLiveSession } from '../state/live.ts'
import { timelineId } from '../state/timeline.ts'
import { type SessionKey, api } from '../wire/api.ts'

export type Since = Changes['since']

export interface ChangesState {
  readonly changes?: Changes
  readonly error?: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

const keptChanges = 6

/** The Git changes of a session's folder, refreshed after each turn. */
export function useChanges(session: SessionKey, since: Since): ChangesState {
  const [state, setState] = useState<Omit<ChangesState, 'reload'>>({ isLoading: true })
  const [count, setCount] = useState(0)
  const reload = useCallback(() => setCount((before) => before + 1), [])
  const turnEnd = useTurnEnd(session)
  const isOnline = useConnection((connection) => connection.state === 'online')
  const { agent, session: id } = session

  useEffect(() => {
    const over = new AbortController()
    const key = { agent, session: id }
    const name = `changes:${timelineId(key)}:${since}`
    setState((before) => ({
      ...(before.changes?.since === since ? { changes: before.changes } : {}),
      isLoading: true,
    }))
    const load = async (): Promise<void> => {
      try {
        const changes = await api.get('/api/sessions/:agent/:session/changes', {
          params: key,
          query: { since },
          signal: over.signal,
        })
        setState({ changes, isLoading: false })
        await cache.put(name, changes)
        await cache.prune('changes:', keptChanges)
      } catch (error) {
        if (over.signal.aborted) return
        // Offline, cached changes are shown; the connection bar says so.
        const before = await cache.get<Changes>(name)
        if (!over.signal.aborted)
          setState(before ? { changes: before, isLoading: false } : { error, isLoading: false })
      }
    }
    void load()
    return () => over.abort()
  }, [agent, id, since, count, turnEnd, isOnline])
  return { ...state, reload }
}

/** When the last turn ended. A short turn is visible only by this time, not by a change of state. */
function useTurnEnd(session: SessionKey): number | undefined {
  const live = useLiveSession(session)
  const [end, setEnd] = useState<number>()
  const { state, since } = live ?? {}
  useEffect(() => {
    if (state === 'idle' || state === 'ended' || state === 'error') setEnd(since)
  }, [state, since])
  return end
}
