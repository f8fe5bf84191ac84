import type { ContextUse } from '@remora/protocol/api'
import { useEffect, useMemo, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { useTimeline } from '../state/timeline.ts'
import { type SessionKey, api } from '../wire/api.ts'
import { lastUse, percentLeft } from './context-left.ts'

export interface ContextLeft {
  readonly percent: number
  readonly used: number
  readonly size: number
}

/** How much of its context an agent has left; undefined where that is not certain. */
export function useContextLeft({ agent, session }: SessionKey): ContextLeft | undefined {
  const { messages } = useTimeline({ agent, session })
  const isOnline = useConnection(({ state }) => state === 'online')
  const last = useMemo(() => lastUse(messages), [messages])
  const [told, setTold] = useState<ContextUse>({})
  const model = last?.model
  const tokens = last?.tokens
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    api
      .get('/api/sessions/:agent/:session/context', {
        params: { agent, session },
        query: { model },
        signal: abort.signal,
      })
      .then(setTold, () => {
        // What is not known is not shown.
      })
    return () => abort.abort()
  }, [agent, session, model, tokens, isOnline])
  const used = told.used ?? tokens
  const percent = percentLeft(used, told.size)
  return percent === undefined ? undefined : { percent, used: used!, size: told.size! }
}
