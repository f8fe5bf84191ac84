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

/** A folder, or the page of a file that contains the line. */
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
        // A shown file stays when the connection is lost.
        setState((before) => (before.of === path && before.view ? before : { of: path, error }))
      },
    )
    return () => over.abort()
  }, [path, from, count, isOnline])
  return state.of === path ? { ...state, reload } : { reload }
}
