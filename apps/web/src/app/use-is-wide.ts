import { useSyncExternalStore } from 'react'

/** From here on the list stands beside the conversation; the same width as `lg:` in class names. */
const wide = matchMedia('(min-width: 64rem)')

/** @example const isWide = useIsWide() */
export function useIsWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      wide.addEventListener('change', changed)
      return () => wide.removeEventListener('change', changed)
    },
    () => wide.matches,
  )
}
