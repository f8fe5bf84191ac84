import { useCallback, useState } from 'react'

/** The expanded state survives scrolling out of view. */
const chosen = new Map<string, boolean>()
const maxChosen = 2_000

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
