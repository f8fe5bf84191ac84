import { useEffect, useState } from 'react'

/**
 * How many of so many rows may be drawn: none with what stands around them, then a few with every turn until there are
 * enough, and then all. A screenful at once would keep a finger waiting.
 *
 * @example const most = useGradual(rows.length, { step: 3, enough: 24 })
 */
export function useGradual(
  count: number,
  { step, enough }: { readonly step: number; readonly enough: number },
): number {
  const [most, setMost] = useState(0)
  const isMore = count > most
  useEffect(() => {
    if (!isMore) return undefined
    const timer = setTimeout(() => setMost(most + step >= enough ? Infinity : most + step))
    return () => clearTimeout(timer)
  }, [isMore, most, step, enough])
  return most
}
