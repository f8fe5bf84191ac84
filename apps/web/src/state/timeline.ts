import type { Message, ServerMessage } from '@remora/protocol'
import { create } from 'zustand'
import { api, type SessionKey } from '../wire/api.ts'
import { keepSame } from './keep-same.ts'
import { cache } from './cache.ts'
import { join } from './join-messages.ts'

/** The loaded messages of a session, without gaps from `from` to the end. */
export interface Timeline {
  readonly from: number
  readonly messages: readonly Message[]
  readonly total: number
  readonly cursor: string | undefined
  /** Whether the server has answered since the app opened; before that, messages are cached. */
  readonly isCurrent: boolean
  readonly isLoading: boolean
}

const empty: Timeline = {
  from: 0,
  messages: [],
  total: 0,
  cursor: undefined,
  isCurrent: false,
  isLoading: false,
}
const pageSize = 100
const keptMessages = 200
const keptSessions = 40

export const useTimelines = create<{ readonly timelines: ReadonlyMap<string, Timeline> }>(() => ({
  timelines: new Map(),
}))

export function timelineId({ agent, session }: SessionKey): string {
  return `${agent}/${session}`
}

export function useTimeline(key: SessionKey): Timeline {
  return useTimelines(({ timelines }) => timelines.get(timelineId(key)) ?? empty)
}

export function getTimeline(key: SessionKey): Timeline {
  return useTimelines.getState().timelines.get(timelineId(key)) ?? empty
}

/** Shows cached messages until the server answers. */
export async function showKept(key: SessionKey): Promise<void> {
  if (getTimeline(key).messages.length > 0) return
  const found = await cache.get<Pick<Timeline, 'from' | 'messages' | 'total'>>(keptName(key))
  const { messages, isCurrent } = getTimeline(key)
  if (found && messages.length === 0 && !isCurrent)
    put(key, { ...found, cursor: undefined, isCurrent: false })
}

/** Applies a frame of the server. Returns false if it does not fit, so that everything must be reloaded. */
export function takeMessages(key: SessionKey, frame: Extract<ServerMessage, { type: 'messages' }>): boolean {
  const before = getTimeline(key)
  const { cursor, total } = frame
  if (frame.whole) {
    const { from } = frame
    const received = frame.messages.map((message, index) =>
      keepSame(before.messages[from + index - before.from], message),
    )
    // Usually the server confirms the cached messages.
    const isSame =
      from === before.from &&
      received.length === before.messages.length &&
      received.every((message, index) => message === before.messages[index])
    put(key, { from, messages: isSame ? before.messages : received, total, cursor, isCurrent: true })
  } else {
    const joined = join(before, frame)
    if (!joined) return false
    put(key, { ...joined, total, cursor, isCurrent: true })
  }
  keepSoon(key)
  return true
}

/** Loads the page before the loaded messages. */
export async function loadEarlier(key: SessionKey): Promise<void> {
  const { from, isLoading } = getTimeline(key)
  if (from === 0 || isLoading) return
  put(key, { isLoading: true })
  try {
    const page = await api.get('/api/sessions/:agent/:session/messages', {
      params: key,
      query: { before: from, limit: pageSize },
    })
    const now = getTimeline(key)
    // The timeline may have been reset meanwhile.
    if (page.from + page.messages.length === now.from)
      put(key, { from: page.from, messages: [...page.messages, ...now.messages] })
  } finally {
    put(key, { isLoading: false })
  }
}

function put(key: SessionKey, change: Partial<Timeline>): void {
  useTimelines.setState(({ timelines }) => {
    const id = timelineId(key)
    return { timelines: new Map(timelines).set(id, { ...(timelines.get(id) ?? empty), ...change }) }
  })
}

const waiting = new Map<string, ReturnType<typeof setTimeout>>()

/** Debounced, because messages change while an agent writes. */
function keepSoon(key: SessionKey): void {
  const id = timelineId(key)
  if (waiting.has(id)) return
  const keep = (): void => {
    waiting.delete(id)
    const { from, messages, total } = getTimeline(key)
    const cut = Math.max(0, messages.length - keptMessages)
    void cache.put(keptName(key), { from: from + cut, messages: messages.slice(cut), total })
    void cache.prune('timeline:', keptSessions)
  }
  waiting.set(id, setTimeout(keep, 2_000))
}

const keptName = (key: SessionKey): string => `timeline:${timelineId(key)}`
