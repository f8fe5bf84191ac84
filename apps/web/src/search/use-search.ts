import type { SearchHit } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { ApiError, api } from '../wire/api.ts'

export interface Found {
  readonly hits: readonly SearchHit[]
  /** The query of these results. */
  readonly text: string
  readonly limit: number
}

/** Waits for a pause in typing. */
const pauseMs = 220

/** Searches after a pause in typing. The last results stay until new ones arrive. */
export function useSearch(text: string, agent: string | undefined, limit: number) {
  const [found, setFound] = useState<Found>()
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  // Searches again after reconnecting.
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    setError(undefined)
    if (text === '') {
      setFound(undefined)
      setBusy(false)
      return undefined
    }
    const over = new AbortController()
    setBusy(true)
    const timer = setTimeout(() => {
      api
        .get('/api/search', { query: { text: text.slice(0, 500), agent, limit }, signal: over.signal })
        .then(
          ({ hits }) => setFound({ hits, text, limit }),
          (problem: unknown) => {
            if (over.signal.aborted) return
            setFound(undefined)
            setError(problem instanceof ApiError ? problem : new ApiError(0, 'unknown', String(problem)))
          },
        )
        .finally(() => {
          if (!over.signal.aborted) setBusy(false)
        })
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [text, agent, limit, isOnline])
  return { found, error, isBusy }
}
