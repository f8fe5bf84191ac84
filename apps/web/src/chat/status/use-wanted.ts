import { useEffect, useState } from 'react'

/** So long a wish is shown as one; what was not granted by then is not. */
const patienceMs = 8_000

/** What somebody has asked for, until it is so or it is plain that it will not be. */
export function useWanted(current: string | undefined): [string | undefined, (wanted?: string) => void] {
  const [wanted, setWanted] = useState<string>()
  useEffect(() => {
    if (wanted === undefined) return undefined
    if (wanted === current) {
      setWanted(undefined)
      return undefined
    }
    const timer = setTimeout(() => setWanted(undefined), patienceMs)
    return () => clearTimeout(timer)
  }, [wanted, current])
  return [wanted, setWanted]
}
