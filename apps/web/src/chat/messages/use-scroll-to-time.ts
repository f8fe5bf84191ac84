import { useEffect, useState } from 'react'
import { useSearch } from 'wouter'
import { loadEarlier } from '../../state/timeline.ts'
import { toastError } from '../../state/toasts.ts'
import type { SessionKey } from '../../wire/api.ts'
import { type Row, findRowAt } from './rows.ts'

export interface Wanted {
  readonly session: SessionKey
  readonly rows: readonly Row[]
  readonly from: number
  readonly isCurrent: boolean
  readonly scrollTo: (row: number) => void
  /** Scrolls to the row again if the list moved away from it by itself. */
  readonly keepInSight: (row: number) => void
}

/** On a slow phone rows are measured for a while, so the position is checked again after these delays. */
const looksFor = 5_000
const checkDelaysMs = [200, 600]

/**
 * Scrolls to the message at the time in the URL, as a search result does, and loads earlier messages until it is
 * found. Returns the index of that message, to highlight it.
 */
export function useScrollToTime({
  session,
  rows,
  from,
  isCurrent,
  scrollTo,
  keepInSight,
}: Wanted): number | undefined {
  const time = Number(new URLSearchParams(useSearch()).get('at') ?? Number.NaN)
  const [found, setFound] = useState<{ time: number; index: number; at: number }>()
  useEffect(() => {
    if (Number.isNaN(time) || !isCurrent || found?.time === time) return
    const [first] = rows
    if (first && first.message.timestamp > time && from > 0) {
      loadEarlier(session).catch(toastError)
      return
    }
    const place = Math.max(0, findRowAt(rows, time))
    const row = rows[place]
    if (!row) return
    setFound({ time, index: row.index, at: performance.now() })
    scrollTo(place)
  }, [session, rows, from, isCurrent, time, found, scrollTo])
  useEffect(() => {
    if (found?.time !== time || performance.now() - found.at > looksFor) return undefined
    const check = (): void => {
      const place = rows.findIndex(({ index }) => index === found.index)
      if (place !== -1) keepInSight(place)
    }
    const timers = checkDelaysMs.map((ms) => setTimeout(check, ms))
    return () => timers.forEach(clearTimeout)
  }, [rows, time, found, keepInSight])
  return found?.time === time ? found.index : undefined
}
