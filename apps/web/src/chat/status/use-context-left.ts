import type { ContextUse } from '@remora/protocol/api'
import { useEffect, useMemo, useState } from 'react'
import { useConnection } from '../../state/connection.ts'
import { useTimeline } from '../../state/timeline.ts'
import { type SessionKey, api } from '../../wire/api.ts'
import { findLastUsage, getPercentLeft } from './context-left.ts'

export interface ContextLeft {
  readonly percent: number
  readonly used: number
  readonly size: number
}

/** The remaining context of an agent; undefined if unknown. */
export function useContextLeft({ agent, session }: SessionKey): ContextLeft | undefined {
  const { messages } = useTimeline({ agent, session })
  const isOnline = useConnection(({ state }) => state === 'online')
  const last = useMemo(() => findLastUsage(messages), [messages])
  const [reported, setReported] = useState<ContextUse>({})
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
      .then(setReported, () => {
        // Unknown values are not shown.
      })
    return () => abort.abort()
  }, [agent, session, model, tokens, isOnline])
  const used = reported.used ?? tokens
  const percent = getPercentLeft(used, reported.size)
  return percent === undefined ? undefined : { percent, used: used!, size: reported.size! }
}
