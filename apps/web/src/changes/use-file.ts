import type { FileView } from '@remora/protocol/api'
import { useCallback, useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { api } from '../wire/api.ts'
import { pageLines } from './lines.ts'

export interface FileState {
  readonly view?: FileView
  readonly error?: unknown
  readonly reload: () => void
}

/** What stands at a path: a folder, or a file from the page on in which the line is. */
export function useFile(path: string | undefined, line: number | undefined): FileState {
  const [state, setState] = useState<{ of?: string; view?: FileView; error?: unknown }>({})
  const [count, setCount] = useState(0)
  const reload = useCallback(() => setCount((before) => before + 1), [])
  const isOnline = useConnection((connection) => connection.state === 'online')
  const from = line === undefined ? 1 : line - ((line - 1) % pageLines)
  useEffect(() => {
    if (path === undefined) return undefined
    const over = new AbortController()
    api.get('/api/files', { query: { path, from, count: pageLines }, signal: over.signal }).then(
      (view) => setState({ of: path, view }),
      (error: unknown) => {
        if (over.signal.aborted) return
        // What one reads stays, when only the connection has gone.
        setState((before) => (before.of === path && before.view ? before : { of: path, error }))
      },
    )
    return () => over.abort()
  }, [path, from, count, isOnline])
  return state.of === path ? { ...state, reload } : { reload }
}
