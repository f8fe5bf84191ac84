import type { Message, ServerMessage } from '@remora/protocol'
import { create } from 'zustand'
import { type SessionKey, api } from '../wire/api.ts'
import { join } from './join-messages.ts'
import { keepSame } from './keep-same.ts'
import { kept } from './kept.ts'

export { join }

/** The messages of one session, as far as they are here: from `from` to the end, with nothing missing between. */
export interface Timeline {
  readonly from: number
  readonly messages: readonly Message[]
  readonly total: number
  readonly cursor: string | undefined
  /** Whether the server has told since the app was opened; else it is what was kept. */
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

/** @example const { messages } = useTimeline(key) */
export function useTimeline(key: SessionKey): Timeline {
  return useTimelines(({ timelines }) => timelines.get(timelineId(key)) ?? empty)
}

export function timelineOf(key: SessionKey): Timeline {
  return useTimelines.getState().timelines.get(timelineId(key)) ?? empty
}

/** Shows what was kept of it, until the server tells. */
export async function showKept(key: SessionKey): Promise<void> {
  if (timelineOf(key).messages.length > 0) return
  const found = await kept.get<Pick<Timeline, 'from' | 'messages' | 'total'>>(keptName(key))
  const { messages, isCurrent } = timelineOf(key)
  if (found && messages.length === 0 && !isCurrent)
    put(key, { ...found, cursor: undefined, isCurrent: false })
}

/** Takes what the server tells. False if it does not fit to what is here, so that all must be asked for again. */
export function takeMessages(key: SessionKey, frame: Extract<ServerMessage, { type: 'messages' }>): boolean {
  const before = timelineOf(key)
  const { cursor, total } = frame
  if (frame.whole) {
    const { from } = frame
    const told = frame.messages.map((message, index) =>
      keepSame(before.messages[from + index - before.from], message),
    )
    // Mostly it is what was kept.
    const isSame =
      from === before.from &&
      told.length === before.messages.length &&
      told.every((message, index) => message === before.messages[index])
    put(key, { from, messages: isSame ? before.messages : told, total, cursor, isCurrent: true })
  } else {
    const joined = join(before, frame)
    if (!joined) return false
    put(key, { ...joined, total, cursor, isCurrent: true })
  }
  keepSoon(key)
  return true
}

/** Asks for the page before what is here. */
export async function loadEarlier(key: SessionKey): Promise<void> {
  const { from, isLoading } = timelineOf(key)
  if (from === 0 || isLoading) return
  put(key, { isLoading: true })
  try {
    const page = await api.get('/api/sessions/:agent/:session/messages', {
      params: key,
      query: { before: from, limit: pageSize },
    })
    const now = timelineOf(key)
    // It may have been told anew meanwhile.
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

/** Not with every word that an agent says. */
function keepSoon(key: SessionKey): void {
  const id = timelineId(key)
  if (waiting.has(id)) return
  const keep = (): void => {
    waiting.delete(id)
    const { from, messages, total } = timelineOf(key)
    const cut = Math.max(0, messages.length - keptMessages)
    void kept.put(keptName(key), { from: from + cut, messages: messages.slice(cut), total })
    void kept.prune('timeline:', keptSessions)
  }
  waiting.set(id, setTimeout(keep, 2_000))
}

const keptName = (key: SessionKey): string => `timeline:${timelineId(key)}`
