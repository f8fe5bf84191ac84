import type { ReviewMark } from '@remora/protocol/api'
import { create } from 'zustand'
import { whenIdle } from '../app/when-idle.ts'
import { useConnection } from '../state/connection.ts'
import { type SessionKey, api } from '../wire/api.ts'

type Marks = ReadonlyMap<string, readonly ReviewMark[]>

/** The reviews of sessions, by the message behind which each stands. */
export const useMarks = create<{ readonly sessions: ReadonlyMap<string, Marks> }>(() => ({
  sessions: new Map(),
}))

const runningMs = 4_000
/** A list that scrolls takes messages away and puts others in: nothing is asked for anew then. */
const lingerMs = 10_000

interface Watch {
  users: number
  at: number
  /** How often they were asked for. */
  asked: number
  timer?: ReturnType<typeof setTimeout>
}
const watched = new Map<string, Watch & { readonly key: SessionKey }>()

const idOf = ({ agent, session }: SessionKey): string => `${agent}/${session}`

/** Keeps the marks of a session fresh until what it returns is called. However many ask, one request is made. */
export function watchMarks(key: SessionKey): () => void {
  const id = idOf(key)
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

/** @example const marks = marksOf(sessions, session, message.id) */
export function marksOf(
  sessions: ReadonlyMap<string, Marks>,
  session: SessionKey,
  message: string,
): readonly ReviewMark[] | undefined {
  return sessions.get(idOf(session))?.get(message)
}

/** Asks for them, and again while a review is under way and somebody looks. */
export async function refreshMarks(key: SessionKey): Promise<void> {
  const id = idOf(key)
  const watch = watched.get(id)
  if (!watch) return
  clearTimeout(watch.timer)
  watch.at = Date.now()
  const turn = ++watch.asked
  let isRunning = false
  try {
    const { reviews } = await api.get('/api/sessions/:agent/:session/reviews', { params: key })
    // An answer that was overtaken may tell of what is gone.
    if (turn !== watch.asked) return
    isRunning = reviews.some(({ state }) => state === 'running')
    put(id, reviews)
  } catch {
    // Without a connection the marks stay as they are.
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
  // They come the latest first; in a timeline the first comes first.
  for (const mark of reviews.toReversed())
    if (mark.anchor !== undefined) marks.set(mark.anchor, [...(marks.get(mark.anchor) ?? []), mark])
  useMarks.setState(({ sessions }) => ({ sessions: new Map(sessions).set(id, marks) }))
}

useConnection.subscribe(({ state }, before) => {
  if (state !== 'online' || before.state === 'online') return
  for (const { key, users } of watched.values()) if (users > 0) void refreshMarks(key)
})
