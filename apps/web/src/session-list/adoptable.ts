import type { LiveInfo } from '@remora/protocol'
import { create } from 'zustand'
import { api } from '../wire/api.ts'

/** An agent in the user's own tmux. */
export interface Adoptable {
  readonly agent: string
  readonly socket: string
  readonly pane: string
  readonly pid: number
  readonly cwd: string
  readonly name: string
  readonly session?: string
}

interface AdoptableStore {
  readonly found: readonly Adoptable[]
  /** Dismissed agents, until the app is opened again. */
  readonly aside: ReadonlySet<number>
}

export const useAdoptable = create<AdoptableStore>(() => ({ found: [], aside: new Set() }))

export async function refreshAdoptable(): Promise<void> {
  try {
    const { adoptable } = await api.get('/api/live/adoptable')
    useAdoptable.setState({ found: adoptable })
  } catch {
    // A machine without tmux has none.
    useAdoptable.setState({ found: [] })
  }
}

export async function adopt({ socket, pane }: Adoptable): Promise<LiveInfo> {
  const live = await api.post('/api/live/adopt', { body: { socket, pane } })
  useAdoptable.setState(({ found }) => ({
    found: found.filter((each) => each.socket !== socket || each.pane !== pane),
  }))
  return live
}

export function putAsideAdoptable({ pid }: Adoptable): void {
  useAdoptable.setState(({ aside }) => ({ aside: new Set([...aside, pid]) }))
}
