import { type PointerEvent, useEffect, useRef } from 'react'

const longMs = 450
const slop = 10
/** The click of a finger that is lifted comes about then, if it comes. */
const clickMs = 400

/** A finger that stays, or the other button of a mouse. @example <a {...useLongPress(openMenu)}> */
export function useLongPress(action: () => void) {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined)
  const wasLong = useRef(false)
  const stop = (): void => {
    if (press.current) clearTimeout(press.current.timer)
    press.current = undefined
  }
  useEffect(() => stop, [])
  return {
    onPointerDown({ pointerType, clientX: x, clientY: y }: PointerEvent) {
      wasLong.current = false
      stop()
      if (pointerType === 'mouse') return
      const timer = setTimeout(() => {
        wasLong.current = true
        swallowClick(x, y)
        action()
      }, longMs)
      press.current = { timer, x, y }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = press.current ?? { x: clientX, y: clientY }
      if (Math.hypot(clientX - x, clientY - y) > slop) stop()
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onContextMenu(event: { preventDefault(): void }) {
      event.preventDefault()
      stop()
      if (!wasLong.current) action()
      wasLong.current = true
    },
    onClickCapture(event: { preventDefault(): void; stopPropagation(): void }) {
      if (!wasLong.current) return
      wasLong.current = false
      event.preventDefault()
      event.stopPropagation()
    },
  }
}

/** What has come up under the finger must not be pressed by it. */
function swallowClick(x: number, y: number): void {
  const over = new AbortController()
  const { signal } = over
  const swallow = (event: MouseEvent): void => {
    over.abort()
    if (Math.hypot(event.clientX - x, event.clientY - y) > 3 * slop) return
    event.preventDefault()
    event.stopPropagation()
  }
  const lifted = (): void => void setTimeout(() => over.abort(), clickMs)
  addEventListener('click', swallow, { capture: true, signal })
  addEventListener('pointerup', lifted, { capture: true, signal })
  addEventListener('pointercancel', lifted, { capture: true, signal })
}
