import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** A finger that lets go leaves the list rolling. */
const rollsMs = 1_000
/** So near to the end somebody reads along, and the list goes with what comes. */
export const nearPixels = 80
/** So long the list may take to get to where somebody wants it. */
const goesMs = 500

export interface Staying {
  /** Whether somebody reads along. */
  readonly isAtEnd: boolean
  readonly toEnd: () => void
  /** Somebody wants to see another place. */
  readonly leave: () => void
  /** Whether the list is still where it was led, and nobody has touched it since. */
  readonly isLed: () => boolean
  readonly onScroll: () => void
}

/**
 * Keeps the end in sight until a person moves away from it: whatever comes, grows, or takes room from the list, as a
 * keyboard does, leaves it there.
 */
export function useStayAtEnd(
  scroller: RefObject<HTMLDivElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  changes: readonly unknown[],
): Staying {
  const [isAtEnd, setAtEnd] = useState(true)
  const stays = useRef(true)
  const touchedAt = useRef(-Infinity)
  const led = useRef(false)
  const going = useRef<ReturnType<typeof setTimeout>>(undefined)
  // By the page itself: what the virtualizer knows of the place is as old as the last event that it heard, and on a slow phone
  // somebody may be elsewhere for long before that comes.
  const isThere = useCallback(() => {
    const element = scroller.current
    return element !== null && element.scrollHeight - element.clientHeight - element.scrollTop <= nearPixels
  }, [scroller])
  const put = useCallback((value: boolean) => {
    stays.current = value
    setAtEnd(value)
  }, [])
  const stay = useCallback(() => {
    if (stays.current && !virtualizer.isAtEnd(1)) virtualizer.scrollToEnd()
  }, [virtualizer])

  useLayoutEffect(stay, [stay, ...changes])

  useEffect(() => {
    const element = scroller.current
    if (!element) return undefined
    const observer = new ResizeObserver(stay)
    observer.observe(element)
    const over = new AbortController()
    const touch = (): void => {
      touchedAt.current = performance.now()
      led.current = false
    }
    for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
      element.addEventListener(type, touch, { passive: true, signal: over.signal })
    return () => {
      observer.disconnect()
      over.abort()
    }
  }, [scroller, stay])

  const onScroll = useCallback(() => {
    // Who has just left may hear of the way to the end once more: that is no way back.
    if (isThere()) return going.current === undefined ? put(true) : undefined
    const now = performance.now()
    if (now - touchedAt.current > rollsMs) return
    touchedAt.current = now
    put(false)
  }, [isThere, put])

  const toEnd = useCallback(() => {
    put(true)
    virtualizer.scrollToEnd()
  }, [virtualizer, put])
  const leave = useCallback(() => {
    put(false)
    led.current = true
    clearTimeout(going.current)
    going.current = setTimeout(() => {
      going.current = undefined
      if (isThere()) put(true)
    }, goesMs)
  }, [isThere, put])
  useEffect(() => () => clearTimeout(going.current), [])
  const isLed = useCallback(() => led.current && !stays.current, [])
  return { isAtEnd, toEnd, leave, isLed, onScroll }
}
