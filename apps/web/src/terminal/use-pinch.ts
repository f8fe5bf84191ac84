import { type RefObject, useEffect, useRef } from 'react'
import { pinchSteps } from './fit.ts'

/** Pinching zooms the text instead of the page. */
export function usePinch(
  element: RefObject<HTMLElement | null>,
  zoom: number,
  onZoom: (zoom: number) => void,
) {
  const latest = useRef({ zoom, onZoom })
  useEffect(() => {
    latest.current = { zoom, onZoom }
  })
  useEffect(() => {
    const place = element.current
    if (!place) return undefined
    const over = new AbortController()
    const { signal } = over
    let begun: { readonly apart: number; readonly zoom: number } | undefined
    place.addEventListener(
      'touchstart',
      ({ touches }) => {
        begun = touches.length === 2 ? { apart: distance(touches), zoom: latest.current.zoom } : undefined
      },
      { signal, passive: true },
    )
    place.addEventListener(
      'touchmove',
      (event) => {
        if (!begun || event.touches.length !== 2) return
        event.preventDefault()
        latest.current.onZoom(begun.zoom + pinchSteps(begun.apart, distance(event.touches)))
      },
      { signal, passive: false },
    )
    place.addEventListener('touchend', () => (begun = undefined), { signal, passive: true })
    return () => over.abort()
  }, [element])
}

function distance(touches: TouchList): number {
  const [one, two] = touches
  return one && two ? Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY) : 0
}
