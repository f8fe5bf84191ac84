import { useEffect, useState } from 'react'
import { useSearch } from 'wouter'
import { loadEarlier } from '../state/timeline.ts'
import { toastError } from '../state/toasts.ts'
import type { SessionKey } from '../wire/api.ts'
import type { Row } from './rows.ts'

export interface Wanted {
  readonly session: SessionKey
  readonly rows: readonly Row[]
  readonly from: number
  readonly isCurrent: boolean
  readonly scrollTo: (row: number) => void
}

/**
 * Goes to what was said at the time that the address names, as a search does, and loads what was earlier until it is
 * there. Gives the place of that message in the conversation, so that it can be marked.
 */
export function useWantedTime({ session, rows, from, isCurrent, scrollTo }: Wanted): number | undefined {
  const time = Number(new URLSearchParams(useSearch()).get('at') ?? Number.NaN)
  const [found, setFound] = useState<{ time: number; index: number }>()
  useEffect(() => {
    if (Number.isNaN(time) || !isCurrent || found?.time === time) return
    const [first] = rows
    if (first && first.message.timestamp > time && from > 0) {
      loadEarlier(session).catch(toastError)
      return
    }
    const place = Math.max(
      0,
      rows.findLastIndex(({ message }) => message.timestamp <= time),
    )
    const row = rows[place]
    if (!row) return
    setFound({ time, index: row.index })
    scrollTo(place)
  }, [session, rows, from, isCurrent, time, found, scrollTo])
  return found?.time === time ? found.index : undefined
}
