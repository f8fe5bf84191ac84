import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { api } from '../wire/api.ts'

export interface Places {
  readonly roots: readonly string[]
  readonly home: string
}

/** The folders that can be browsed. */
export function usePlaces(): Places | undefined {
  const [places, setPlaces] = useState<Places>()
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    api.get('/api/files/roots').then(setPlaces, () => {
      // A path can be typed all the same.
    })
  }, [isOnline])
  return places
}
