import { type PointerEvent, useEffect, useRef } from 'react'

const untilRepeatMs = 400
const betweenMs = 80

/** A key that repeats while it is held. It takes no focus, so that the on-screen keyboard stays open. */
export function useKeyRepeat(press: () => void, repeats: boolean) {
  const timers = useRef<ReturnType<typeof setTimeout>[]>([])
  const latest = useRef(press)
  useEffect(() => {
    latest.current = press
  })
  const release = (): void => {
    for (const timer of timers.current) clearTimeout(timer)
    timers.current = []
  }
  useEffect(() => release, [])
  return {
    onPointerDown(event: PointerEvent) {
      event.preventDefault()
      if (event.button !== 0) return
      release()
      latest.current()
      if (!repeats) return
      timers.current.push(
        setTimeout(() => {
          timers.current.push(setInterval(() => latest.current(), betweenMs))
        }, untilRepeatMs),
      )
    },
    // A lifted finger would otherwise focus the button.
    onMouseDown: (event: { preventDefault(): void }) => event.preventDefault(),
    onPointerUp: release,
    onPointerLeave: release,
    onPointerCancel: release,
    onContextMenu: (event: { preventDefault(): void }) => event.preventDefault(),
    // A click from the keyboard or a screen reader; pointers are handled above.
    onClick({ detail }: { readonly detail: number }) {
      if (detail === 0) latest.current()
    },
  }
}
