import type { NodeInfo } from '@remora/protocol/api'
import { useEffect } from 'react'
import { create } from 'zustand'
import { useConnection } from '../state/connection.ts'
import { useLive } from '../state/live.ts'
import { api } from '../wire/api.ts'
import { useSessionList } from '../sessions/session-list.ts'

interface Machines {
  /** The machines of a shared ledger; empty for a single machine. */
  readonly nodes: readonly NodeInfo[]
  /** The connected machine. */
  readonly here: string | undefined
}

const everyMs = 15_000

export const useMachines = create<Machines>(() => ({ nodes: [], here: undefined }))

/** The name of a machine other than the connected one. @example const name = useMachineName(entry.node) */
export function useMachineName(node: string | undefined): string | undefined {
  return useMachines(({ nodes, here }) =>
    node === undefined || node === here ? undefined : nodes.find(({ id }) => id === node)?.name,
  )
}

/** Refreshes the machines while the list is visible, if there are several. */
export function useFreshMachines(): void {
  const isOnline = useConnection(({ state }) => state === 'online')
  const inList = useSessionList(({ sessions }) =>
    [...sessions.values()].some(({ node }) => node !== undefined),
  )
  const isGoing = useLive(({ live }) => [...live.values()].some(({ node }) => node !== undefined))
  const isShared = inList || isGoing
  useEffect(() => {
    if (!isOnline || !isShared) return undefined
    const refresh = (): void => {
      if (document.visibilityState === 'visible') void refreshMachines()
    }
    refresh()
    const timer = setInterval(refresh, everyMs)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [isOnline, isShared])
}

async function refreshMachines(): Promise<void> {
  try {
    const { nodes } = await api.get('/api/nodes')
    useMachines.setState({ nodes, here: nodes.find(({ here }) => here)?.id })
  } catch {
    // Known machines stay until the next refresh.
  }
}
