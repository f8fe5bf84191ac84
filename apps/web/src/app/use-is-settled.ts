import { startTransition, useEffect, useState } from 'react'
import { whenIdle } from '../browser/when-idle.ts'

/** False until the first screen stands: what only may be needed is not drawn, or even fetched, before. */
export function useIsSettled(): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setSettled(true))), [])
  return isSettled
}
