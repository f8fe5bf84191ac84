import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { api } from '../wire/api.ts'

type Query = Record<string, string | number | boolean | undefined>

export interface Answer<T> {
  /** The previous data until new data arrives. */
  readonly data?: T
  readonly error?: unknown
  readonly isLoading: boolean
  readonly again: () => void
}

/** Fetches data, and again when the query changes or the connection returns. */
export function useAnswer<T>(path: string, query: Query = {}): Answer<T> {
  const asked = JSON.stringify([path, query])
  const [count, setCount] = useState(0)
  const [state, setState] = useState<{ asked: string; path: string; data?: T; error?: unknown }>()
  useEffect(() => {
    const over = new AbortController()
    const [where, what] = JSON.parse(asked) as [string, Query]
    api
      .get<T>(where, what, over.signal)
      .then((data) => setState({ asked, path: where, data }))
      .catch((error: unknown) => {
        if (!over.signal.aborted)
          setState((before) =>
            // Data for the same query is kept on an error.
            before?.data !== undefined && before.asked === asked ? before : { asked, path: where, error },
          )
      })
    return () => over.abort()
  }, [asked, count])
  const hasFailed = state?.error !== undefined
  useEffect(() => {
    let wasOnline = useConnection.getState().state === 'online'
    return useConnection.subscribe(({ state: now }, before) => {
      if (now !== 'online' || before.state === 'online') return
      if (wasOnline || hasFailed) setCount((last) => last + 1)
      wasOnline = true
    })
  }, [hasFailed])
  const isSame = state?.path === path
  return {
    ...(isSame && state.data !== undefined ? { data: state.data } : {}),
    ...(state?.asked === asked && state.error !== undefined ? { error: state.error } : {}),
    isLoading: state?.asked !== asked,
    again: () => setCount((last) => last + 1),
  }
}
