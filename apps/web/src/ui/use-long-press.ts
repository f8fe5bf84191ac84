import { type PointerEvent, type SyntheticEvent, useEffect, useRef } from 'react'

const longMs = 450
const stillPixels = 10
/** How long after a finger is lifted its click can still arrive. */
const clickMs = 400

export interface LongPressOptions {
  /** Selects elements that keep their own long press, such as links and code. */
  readonly except?: string
  /** Whether a right click does the same. */
  readonly takesRightClick?: boolean
}

/** Runs an action when a finger or pen rests on an element. @example <a {...useLongPress(openMenu)}> */
export function useLongPress(action: () => void, { except, takesRightClick = false }: LongPressOptions = {}) {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined)
  const isMouse = useRef(false)
  const wasLong = useRef(false)
  const isExcepted = (target: EventTarget): boolean =>
    except !== undefined && target instanceof Element && target.closest(except) !== null
  const stop = (): void => {
    if (press.current) clearTimeout(press.current.timer)
    press.current = undefined
  }
  useEffect(() => stop, [])
  return {
    onPointerDown({ pointerType, clientX: x, clientY: y, target }: PointerEvent) {
      isMouse.current = pointerType === 'mouse'
      wasLong.current = false
      stop()
      if (isMouse.current || isExcepted(target)) return
      const timer = setTimeout(() => {
        wasLong.current = true
        swallowClick(x, y)
        getSelection()?.removeAllRanges()
        action()
      }, longMs)
      press.current = { timer, x, y }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = press.current ?? { x: clientX, y: clientY }
      if (Math.hypot(clientX - x, clientY - y) > stillPixels) stop()
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onContextMenu(event: SyntheticEvent) {
      if (isExcepted(event.target) || (isMouse.current && !takesRightClick)) return
      event.preventDefault()
      stop()
      if (!wasLong.current) action()
      wasLong.current = true
    },
    onClickCapture(event: SyntheticEvent) {
      if (!wasLong.current) return
      wasLong.current = false
      event.preventDefault()
      event.stopPropagation()
    },
  }
}

/** Lifting the finger must not click the menu that opened under it. */
function swallowClick(x: number, y: number): void {
  const over = new AbortController()
  const { signal } = over
  const swallow = (event: MouseEvent): void => {
    over.abort()
    if (Math.hypot(event.clientX - x, event.clientY - y) > 3 * stillPixels) return
    event.preventDefault()
    event.stopPropagation()
  }
  const lifted = (): void => void setTimeout(() => over.abort(), clickMs)
  addEventListener('click', swallow, { capture: true, signal })
  addEventListener('pointerup', lifted, { capture: true, signal })
  addEventListener('pointercancel', lifted, { capture: true, signal })
}
