import { createContext, useContext, useEffect } from 'react'

/** Counts the texts of a request that are not shown completely. While there are any, it cannot be allowed. */
export const CutTexts = createContext<(change: 1 | -1) => void>(() => {})

/** Counts a text while it is cut. */
export function useCutText(isCut: boolean): void {
  const count = useContext(CutTexts)
  useEffect(() => {
    if (!isCut) return undefined
    count(1)
    return () => count(-1)
  }, [isCut, count])
}
