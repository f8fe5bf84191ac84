import type { Answer, Ask, Command, LiveFrame, LiveInfo } from '@remora/protocol'
import { create } from 'zustand'
import type { SessionKey } from '../wire/api.ts'

export interface PendingAsk extends SessionKey {
  readonly ask: Ask
  /** Somebody else was faster: shown for a moment. */
  readonly settled?: Answer
}

interface LiveStore {
  readonly live: ReadonlyMap<string, LiveInfo>
  readonly frames: ReadonlyMap<string, LiveFrame>
  readonly asks: readonly PendingAsk[]
  /** Prompts that wait or are under way, in the order in which they came, by client and id. */
  readonly commands: ReadonlyMap<string, Command>
}

/** What goes on now on the machine, as the server tells it. */
export const useLive = create<LiveStore>(() => ({
  live: new Map(),
  frames: new Map(),
  asks: [],
  commands: new Map(),
}))

/** The live session of a conversation, also while it has no id of its own yet. */
export function findLive(
  live: ReadonlyMap<string, LiveInfo>,
  { agent, session }: SessionKey,
): LiveInfo | undefined {
  let ended: LiveInfo | undefined
  for (const info of live.values()) {
    if (info.agent !== agent || (info.session !== session && info.id !== session)) continue
    if (info.state !== 'ended') return info
    ended = info
  }
  return ended
}

/** @example const live = useLiveSession(key) */
export function useLiveSession(key: SessionKey): LiveInfo | undefined {
  return useLive(({ live }) => findLive(live, key))
}

export function isSame(left: SessionKey, right: SessionKey): boolean {
  return left.agent === right.agent && left.session === right.session
}

export function commandKey({ client, id }: Pick<Command, 'client' | 'id'>): string {
  return `${client} ${id}`
}
