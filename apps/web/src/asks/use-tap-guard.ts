import { type MouseEvent, useEffect, useRef, useState } from 'react'

/** A tap this soon after new content appeared was meant for the content before it. */
export const guardMs = 400

export interface Guard {
  readonly isReady: boolean
  /** Records when a press starts, so that one that started too early is ignored when it ends. */
  readonly onPointerDown: () => void
  readonly isMeant: (event: MouseEvent) => boolean
}

/** Disables buttons until the user can have seen their content. @example const guard = useTapGuard(toAskKey(pending)) */
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
