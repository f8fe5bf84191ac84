import { type PointerEvent, type SyntheticEvent, useMemo, useRef } from 'react'

const pressMs = 480
const stillPixels = 10

/** Tells when a finger rests on something. In code it selects, and on a link it does what the browser does. */
export function useLongPress(onPress: () => void) {
  const latest = useRef(onPress)
  latest.current = onPress
  return useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let start = { x: 0, y: 0 }
    let isTouch = false
    const end = (): void => clearTimeout(timer)
    return {
      onPointerDown(event: PointerEvent) {
        isTouch = event.pointerType === 'touch'
        end()
        if (!isTouch || isLeftAlone(event.target)) return
        start = { x: event.clientX, y: event.clientY }
        timer = setTimeout(() => {
          swallowClick()
          getSelection()?.removeAllRanges()
          latest.current()
        }, pressMs)
      },
      onPointerMove({ clientX, clientY }: PointerEvent) {
        if (Math.hypot(clientX - start.x, clientY - start.y) > stillPixels) end()
      },
      onPointerUp: end,
      onPointerCancel: end,
      onContextMenu(event: SyntheticEvent) {
        if (isTouch && !isLeftAlone(event.target)) event.preventDefault()
      },
    }
  }, [])
}

/** When the finger is lifted, something would be tapped: what it rested on, or what has come up under it. */
function swallowClick(): void {
  const swallow = (event: Event): void => {
    event.preventDefault()
    event.stopPropagation()
  }
  const stop = (): void => removeEventListener('click', swallow, { capture: true })
  addEventListener('click', swallow, { capture: true })
  // The tap comes right behind, if it comes at all.
  const soon = (): void => void setTimeout(stop, 100)
  addEventListener('pointerup', soon, { capture: true, once: true })
  addEventListener('pointercancel', soon, { capture: true, once: true })
  addEventListener('pointerdown', stop, { capture: true, once: true })
}

function isLeftAlone(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, pre, input, textarea, dialog') !== null
}
