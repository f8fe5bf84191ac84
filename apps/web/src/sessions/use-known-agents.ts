import { useMemo } from 'react'
import { useLive } from '../state/live.ts'
import { words } from '../words/index.ts'
import { useSessionList } from './session-list.ts'

/** Agents with sessions, well-known ones first. */
export function useKnownAgents(): string[] {
  const sessions = useSessionList((list) => list.sessions)
  const live = useLive((store) => store.live)
  return useMemo(() => {
    const found = new Set([...sessions.values(), ...live.values()].map(({ agent }) => agent))
    const usual = Object.keys(words.agents)
    const place = (agent: string): number => (usual.includes(agent) ? usual.indexOf(agent) : usual.length)
    return [...found].toSorted((left, right) => place(left) - place(right) || (left < right ? -1 : 1))
  }, [sessions, live])
}
