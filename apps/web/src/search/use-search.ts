import type { SearchHit } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { ApiError, api } from '../wire/api.ts'

export interface Found {
  readonly hits: readonly SearchHit[]
  /** What they were found for. */
  readonly text: string
  readonly limit: number
}

/** Somebody who types does not want to know of every letter. */
const pauseMs = 220

/** What was found for the words, a moment after they were typed. The last answer stays until the next one is there. */
export function useSearch(text: string, agent: string | undefined, limit: number) {
  const [found, setFound] = useState<Found>()
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  // What could not be asked is asked again as soon as there is a connection.
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
