import { useCallback, useState } from 'react'

/** What somebody has opened or closed stays so while it is scrolled out of sight. */
const chosen = new Map<string, boolean>()
const maxChosen = 2_000

/** @example const [isOpen, toggle] = useExpanded(call.id, false) */
export function useExpanded(key: string, isUsuallyOpen: boolean): readonly [boolean, () => void] {
  const [isOpen, setOpen] = useState(() => chosen.get(key) ?? isUsuallyOpen)
  const toggle = useCallback(() => {
    setOpen((was) => {
      chosen.delete(key)
      chosen.set(key, !was)
      if (chosen.size > maxChosen) chosen.delete(chosen.keys().next().value!)
      return !was
    })
  }, [key])
  return [isOpen, toggle]
}
