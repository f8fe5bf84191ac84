import type { AgentInfo } from '@remora/protocol/api'
import { useCallback, useEffect } from 'react'
import { create } from 'zustand'
import { api } from '../wire/api.ts'
import { useConnection } from './connection.ts'
import { cache } from './cache.ts'

// Earlier versions kept agents without their modes under `agents`.
const keptName = 'agents-2'

/** The agents of the machine and their features. */
export const useAgentStore = create<{ readonly agents: readonly AgentInfo[] | undefined }>(() => ({
  agents: undefined,
}))

/** Shows the cached agents until the server answers. */
export async function showKeptAgents(): Promise<void> {
  if (useAgentStore.getState().agents) return
  const agents = await cache.get<AgentInfo[]>(keptName)
  if (agents && !useAgentStore.getState().agents) useAgentStore.setState({ agents })
}

let asked: Promise<void> | undefined

/** Loads the agents. Cached ones are shown until the server answers. */
export function loadAgents(): Promise<void> {
  asked ??= ask().finally(() => (asked = undefined))
  return asked
}

async function ask(): Promise<void> {
  void showKeptAgents()
  try {
    const { agents } = await api.get('/api/agents')
    useAgentStore.setState({ agents })
    void cache.put(keptName, agents)
  } catch {
    // The next connection retries.
  }
}

/** An agent and its features outside of components, once loaded. @example findAgentInfo('claude')?.title */
export function findAgentInfo(id: string): AgentInfo | undefined {
  return useAgentStore.getState().agents?.find((agent) => agent.id === id)
}

/** An agent and its features, once loaded. @example const canFork = useAgent('claude')?.features['fork'] */
export function useAgent(id: string): AgentInfo | undefined {
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    void loadAgents()
  }, [isOnline])
  return useAgentStore(({ agents }) => agents?.find((agent) => agent.id === id))
}

/** The short name of an agent outside of components. Components call `useAgentNames`. @example getAgentName('claude') */
export function getAgentName(id: string): string {
  return toAgentName(findAgentInfo(id), id)
}

/**
 * Names agents, and renders again when the server sends other names.
 *
 * @example const getAgentName = useAgentNames()
 */
export function useAgentNames(): (id: string) => string {
  const agents = useAgentStore((store) => store.agents)
  return useCallback(
    (id) =>
      toAgentName(
        agents?.find((agent) => agent.id === id),
        id,
      ),
    [agents],
  )
}

/** Servers before 0.2 send no short name, and an agent of another machine may be unknown here. */
export function toAgentName(agent: Pick<AgentInfo, 'name' | 'title'> | undefined, id: string): string {
  return agent?.name ?? agent?.title ?? id
}
