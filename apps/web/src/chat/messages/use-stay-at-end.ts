import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** The list keeps scrolling after the finger is lifted. */
const rollsMs = 1_000
/** Closer to the end than this, the list follows new messages. */
export const nearPixels = 80
/** How long scrolling to a target may take. */
const goesMs = 500

export interface Staying {
  /** Whether the list follows new messages. */
  readonly isAtEnd: boolean
  readonly toEnd: () => void
  /** Stops following, to show another position. */
  readonly leave: () => void
  /** Whether the list was scrolled by code and the user has not touched it since. */
  readonly isLed: () => boolean
  readonly onScroll: () => void
}

/** Keeps the end visible until the user scrolls away, whatever is added, grows or takes space from the list. */
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
  // Measured in the page, because the virtualizer's offset is as old as its last scroll event, which may come late
  // on a slow phone.
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
    // A late scroll event at the end must not resume following right after leaving it.
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
