import type { CallInput, CallResult, Path } from '@remora/protocol/client'
import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'

/** Loads the data of a route for a query. */
export type Load<P extends Path<'get'>, Params = unknown> = (
  query: NonNullable<QueryOf<P>> & Params,
  signal: AbortSignal,
) => Promise<CallResult<'get', P>>
type QueryOf<P extends Path<'get'>> = CallInput<'get', P> extends { readonly query?: infer Q } ? Q : unknown

export interface Answer<T> {
  /** The previous data until new data arrives. */
  readonly data?: T
  readonly error?: unknown
  readonly isLoading: boolean
  readonly again: () => void
}

/** Loads data, and loads it again when the query changes or the connection returns. `load` must not change. */
export function useAnswer<Query, T>(
  load: (query: Query, signal: AbortSignal) => Promise<T>,
  query: Query,
): Answer<T> {
  const asked = JSON.stringify(query)
  const [count, setCount] = useState(0)
  const [state, setState] = useState<{ asked: string; data?: T; error?: unknown }>()
  useEffect(() => {
    const over = new AbortController()
    load(JSON.parse(asked) as Query, over.signal)
      .then((data) => setState({ asked, data }))
      .catch((error: unknown) => {
        if (!over.signal.aborted)
          setState((before) =>
            // Data for the same query is better than none.
            before?.data !== undefined && before.asked === asked ? before : { asked, error },
          )
      })
    return () => over.abort()
  }, [load, asked, count])
  const hasFailed = state?.error !== undefined
  useEffect(() => {
    let wasOnline = useConnection.getState().state === 'online'
    return useConnection.subscribe(({ state: now }, before) => {
      if (now !== 'online' || before.state === 'online') return
      if (wasOnline || hasFailed) setCount((last) => last + 1)
      wasOnline = true
    })
  }, [hasFailed])
  return {
    data: state?.data,
    error: state?.asked === asked ? state.error : undefined,
    isLoading: state?.asked !== asked,
    again: () => setCount((last) => last + 1),
  }
}
