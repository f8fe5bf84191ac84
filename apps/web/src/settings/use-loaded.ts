import { useCallback, useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { ApiError } from '../wire/api.ts'

export interface Loaded<T> {
  readonly value: T | undefined
  readonly problem: ApiError | undefined
  readonly reload: () => void
}

/** Loads a value, and loads it again with every connection. `load` must not change. @example const { value } = useLoaded(loadDevices) */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const isOnline = useConnection(({ state }) => state === 'online')
  const [value, setValue] = useState<T>()
  const [problem, setProblem] = useState<ApiError>()
  const [count, setCount] = useState(0)
  useEffect(() => {
    const over = new AbortController()
    load(over.signal).then(
      (found) => {
        setValue(found)
        setProblem(undefined)
      },
      (error: unknown) => {
        if (error instanceof ApiError) setProblem(error)
      },
    )
    return () => over.abort()
  }, [load, isOnline, count])
  return { value, problem, reload: useCallback(() => setCount((before) => before + 1), []) }
}
