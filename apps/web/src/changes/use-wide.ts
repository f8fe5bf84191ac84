import { type RefObject, useLayoutEffect, useState } from 'react'

/** From here on a list has room beside what is chosen in it. */
const widePixels = 720

export function useWide(element: RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false)
  useLayoutEffect(() => {
    const place = element.current
    if (!place) return undefined
    const look = (): void => setWide(place.clientWidth >= widePixels)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(place)
    return () => observer.disconnect()
  }, [element])
  return isWide
}
