import type { ReviewMark } from '@remora/protocol/api'
import { create } from 'zustand'
import { whenIdle } from '../browser/when-idle.ts'
import { useConnection } from '../state/connection.ts'
import { type SessionKey, api } from '../wire/api.ts'

type Marks = ReadonlyMap<string, readonly ReviewMark[]>

/** The reviews of each session by message. */
export const useMarks = create<{ readonly sessions: ReadonlyMap<string, Marks> }>(() => ({
  sessions: new Map(),
}))

const runningMs = 4_000
/** Scrolling unmounts and remounts messages, so that refetching is delayed. */
const lingerMs = 10_000

interface Watch {
  users: number
  at: number
  /** Number of requests made. */
  asked: number
  timer?: ReturnType<typeof setTimeout>
}
const watched = new Map<string, Watch & { readonly key: SessionKey }>()

const toSessionId = ({ agent, session }: SessionKey): string => `${agent}/${session}`

/** Refreshes the marks of a session until the returned function is called. Several callers share one request. */
export function watchMarks(key: SessionKey): () => void {
  const id = toSessionId(key)
  const watch = watched.get(id) ?? { key, users: 0, at: 0, asked: 0 }
  watched.set(id, watch)
  watch.users += 1
  if (watch.users === 1 && Date.now() - watch.at > lingerMs) {
    watch.at = Date.now()
    whenIdle(() => void refreshMarks(key))
  }
  return () => {
    watch.users -= 1
  }
}

export function listMarks(
  sessions: ReadonlyMap<string, Marks>,
  session: SessionKey,
  message: string,
): readonly ReviewMark[] | undefined {
  return sessions.get(toSessionId(session))?.get(message)
}

/** Fetches the marks, and again while a review is running. */
export async function refreshMarks(key: SessionKey): Promise<void> {
  const id = toSessionId(key)
  const watch = watched.get(id)
  if (!watch) return
  clearTimeout(watch.timer)
  watch.at = Date.now()
  const turn = ++watch.asked
  let isRunning = false
  try {
    const { reviews } = await api.get('/api/sessions/:agent/:session/reviews', { params: key })
    // A newer request is under way, so this response may be outdated.
    if (turn !== watch.asked) return
    isRunning = reviews.some(({ state }) => state === 'running')
    put(id, reviews)
  } catch {
    // Offline, the marks stay unchanged.
  }
  if (isRunning)
    watch.timer = setTimeout(() => {
      if (watch.users > 0 && document.visibilityState === 'visible') void refreshMarks(key)
    }, runningMs)
}

function put(id: string, reviews: readonly ReviewMark[]): void {
  const before = useMarks.getState().sessions.get(id)
  if (reviews.length === 0 && !before) return
  const marks = new Map<string, readonly ReviewMark[]>()
  // The server sends the latest first; the timeline shows the oldest first.
  for (const mark of reviews.toReversed())
    if (mark.anchor !== undefined) marks.set(mark.anchor, [...(marks.get(mark.anchor) ?? []), mark])
  useMarks.setState(({ sessions }) => ({ sessions: new Map(sessions).set(id, marks) }))
}

useConnection.subscribe(({ state }, before) => {
  if (state !== 'online' || before.state === 'online') return
  for (const { key, users } of watched.values()) if (users > 0) void refreshMarks(key)
})
