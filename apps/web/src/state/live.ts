import type { Answer, Ask, Command, LiveFrame, LiveInfo } from '@remora/protocol'
import { create } from 'zustand'
import type { SessionKey } from '../wire/api.ts'

export interface PendingAsk extends SessionKey {
  readonly ask: Ask
  /** Answered elsewhere; shown for a moment. */
  readonly settled?: Answer
}

interface LiveStore {
  readonly live: ReadonlyMap<string, LiveInfo>
  readonly frames: ReadonlyMap<string, LiveFrame>
  readonly asks: readonly PendingAsk[]
  /** Queued and running prompts in order, by client and id. */
  readonly commands: ReadonlyMap<string, Command>
}

/** The live state of the machine, as the server sends it. */
export const useLive = create<LiveStore>(() => ({
  live: new Map(),
  frames: new Map(),
  asks: [],
  commands: new Map(),
}))

/** The live session of a conversation, even before it has a session id. */
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

export function useLiveSession(key: SessionKey): LiveInfo | undefined {
  return useLive(({ live }) => findLive(live, key))
}

export function isSame(left: SessionKey, right: SessionKey): boolean {
  return left.agent === right.agent && left.session === right.session
}

export function commandKey({ client, id }: Pick<Command, 'client' | 'id'>): string {
  return `${client} ${id}`
}

/** The queued and running prompts in order. The latest version of a command wins. */
export function toQueue(commands: readonly Command[]): Map<string, Command> {
  const latest = new Map(commands.map((command) => [commandKey(command), command]))
  const waiting = [...latest.values()].filter(isInQueue).toSorted((a, b) => a.at - b.at)
  return new Map(waiting.map((command) => [commandKey(command), command]))
}

function isInQueue({ state, body }: Command): boolean {
  return body.kind === 'prompt' && (state === 'queued' || state === 'sent')
}
