import { useCallback, useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { ApiError, api } from '../wire/api.ts'

export interface Loaded<T> {
  readonly value: T | undefined
  readonly problem: ApiError | undefined
  readonly reload: () => void
}

/** Fetches a value, and again after each reconnect. @example const { value } = useLoaded<{ devices: Device[] }>('/api/devices') */
export function useLoaded<T>(path: string): Loaded<T> {
  const isOnline = useConnection(({ state }) => state === 'online')
  const [value, setValue] = useState<T>()
  const [problem, setProblem] = useState<ApiError>()
  const [count, setCount] = useState(0)
  useEffect(() => {
    const over = new AbortController()
    api.get<T>(path, undefined, over.signal).then(
      (found) => {
        setValue(found)
        setProblem(undefined)
      },
      (error: unknown) => {
        if (error instanceof ApiError) setProblem(error)
      },
    )
    return () => over.abort()
  }, [path, isOnline, count])
  return { value, problem, reload: useCallback(() => setCount((before) => before + 1), []) }
}
