import type { FileView } from '@remora/protocol/api'
import { useCallback, useMemo, useState } from 'react'
import { toastError } from '../state/toasts.ts'
import { api } from '../wire/api.ts'
import { Lines, pageLines } from './lines.ts'

type TextView = Extract<FileView, { kind: 'text' }>

/** The lines of a file, loaded on request. */
export function useLines(path: string, view: TextView) {
  const lines = useMemo(() => {
    const made = new Lines(view.lines)
    made.put(view.from, view.text)
    return made
  }, [view])
  const [, setCount] = useState(0)
  const need = useCallback(
    (from: number, count: number) => {
      const start = lines.wanted(from, count)
      if (start === undefined) return
      api.get('/api/files', { query: { path, from: start, count: pageLines } }).then(
        (came) => {
          // The file may have changed its type meanwhile.
          if (came.kind === 'text') lines.put(start, came.text)
          else lines.failed(start)
          setCount((before) => before + 1)
        },
        (error: unknown) => {
          lines.failed(start)
          toastError(error)
        },
      )
    },
    [lines, path],
  )
  return { lines, need }
}
