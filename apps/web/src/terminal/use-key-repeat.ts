import { type PointerEvent, useEffect, useRef } from 'react'

const untilRepeatMs = 400
const betweenMs = 80

/** A key that repeats while it is held. It takes no focus, so that a keyboard on the screen stays open. */
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
    // A finger that has pressed would focus what it touched, when it leaves.
    onMouseDown: (event: { preventDefault(): void }) => event.preventDefault(),
    onPointerUp: release,
    onPointerLeave: release,
    onPointerCancel: release,
    onContextMenu: (event: { preventDefault(): void }) => event.preventDefault(),
    // By the keyboard, or by a screen reader: a pointer has done it already.
    onClick({ detail }: { readonly detail: number }) {
      if (detail === 0) latest.current()
    },
  }
}
