import { type MouseEvent, useEffect, useRef, useState } from 'react'

/** So long after something came into sight, a tap was meant for what was there before. */
export const guardMs = 400

export interface Guard {
  readonly isReady: boolean
  /** To be told where a press begins: one that began too early does not count when it ends. */
  readonly onPointerDown: () => void
  readonly isMeant: (event: MouseEvent) => boolean
}

/** Keeps buttons inert until a person can have seen what they are for. @example const guard = useTapGuard(toAskKey(pending)) */
export function useTapGuard(content: string): Guard {
  const [seen, setSeen] = useState<string>()
  const isEarly = useRef(false)
  useEffect(() => {
    const timer = setTimeout(() => setSeen(content), guardMs)
    return () => clearTimeout(timer)
  }, [content])
  const isReady = seen === content
  return {
    isReady,
    onPointerDown: () => {
      isEarly.current = !isReady
    },
    isMeant: () => {
      const wasEarly = isEarly.current
      isEarly.current = false
      return isReady && !wasEarly
    },
  }
}
