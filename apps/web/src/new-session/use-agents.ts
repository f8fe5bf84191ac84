import type { AgentInfo } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { cache } from '../state/cache.ts'
import { ApiError, api } from '../wire/api.ts'
import { startChannels } from './choices.ts'

const keptName = 'agents'

/** The agents that can be started, installed ones first. */
export function useAgents(): {
  readonly agents: readonly AgentInfo[] | undefined
  readonly error: ApiError | undefined
} {
  const [agents, setAgents] = useState<readonly AgentInfo[]>()
  const [error, setError] = useState<ApiError>()
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    let isGone = false
    const show = (all: readonly AgentInfo[]): void => {
      if (isGone) return
      const startable = all.filter((agent) => startChannels(agent).length > 0)
      setAgents(startable.toSorted((left, right) => Number(right.installed) - Number(left.installed)))
    }
    api.get('/api/agents').then(
      ({ agents: all }) => {
        void cache.put(keptName, all)
        setError(undefined)
        show(all)
      },
      async (problem: unknown) => {
        if (!isGone) setError(problem instanceof ApiError ? problem : undefined)
        const all = await cache.get<AgentInfo[]>(keptName)
        if (all) show(all)
      },
    )
    return () => {
      isGone = true
    }
  }, [isOnline])
  return { agents, error }
}
