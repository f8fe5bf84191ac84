import type { SessionInfo } from '@remora/protocol/api'
import { create } from 'zustand'
import { cache } from '../state/cache.ts'
import { api, ApiError, type SessionKey } from '../wire/api.ts'
import { mergePage, type PageQuery, type Sessions, toSessionId } from './merge-page.ts'
import { useEffect, useMemo } from 'react'
import { useLive } from '../state/live.ts'
import { useAgentStore } from '../state/agents.ts'
import { useConnection } from '../state/connection.ts'

/** How far back a list is loaded. */
interface Reached {
  /** The time of its oldest session. */
  readonly at: number
  readonly isAll: boolean
}

interface SessionList {
  readonly sessions: Sessions
  /** By filter: agent, machine and whether hidden sessions are included. */
  readonly reached: ReadonlyMap<string, Reached>
  /** Whether the server has answered since the app opened; before that, the list is cached. */
  readonly isCurrent: boolean
  readonly isLoading: boolean
  readonly error: ApiError | undefined
}

/** The filter of a list. */
export type Filter = Pick<PageQuery, 'agent' | 'node' | 'hidden'>

const pageSize = 200
const keptSessions = 500
const keptName = 'sessions'

/** The known sessions, unordered. */
export const useSessionList = create<SessionList>(() => ({
  sessions: new Map(),
  reached: new Map(),
  isCurrent: false,
  isLoading: false,
  error: undefined,
}))

export function toFilterId({ agent, node, hidden }: Filter): string {
  return `${agent ?? ''} ${node ?? ''} ${hidden}`
}

/** Shows the cached sessions until the server answers. */
export async function showKeptSessions(): Promise<void> {
  if (useSessionList.getState().sessions.size > 0) return
  const entries = await cache.get<SessionInfo[]>(keptName)
  if (!entries || useSessionList.getState().isCurrent) return
  useSessionList.setState(({ sessions }) =>
    sessions.size > 0 ? {} : { sessions: new Map(entries.map((entry) => [toSessionId(entry), entry])) },
  )
}

/** Loads the latest and the pinned sessions. */
export async function refreshSessions(filter: Filter): Promise<void> {
  useSessionList.setState({ isLoading: true })
  try {
    const latest = { ...filter, limit: pageSize }
    const pinned = { ...filter, limit: pageSize, pinned: true }
    const pages = await unchanged(() => Promise.all([askFor(latest), askFor(pinned)]))
    useSessionList.setState(({ sessions, reached }) => {
      const before = reached.get(toFilterId(filter))
      const now = reachedBy(pages[0], pageSize)
      const further =
        before && (before.isAll || before.at < now.at) ? { ...before, isAll: before.isAll || now.isAll } : now
      return {
        sessions: mergePage(mergePage(sessions, pages[0], latest), pages[1], pinned),
        reached: new Map(reached).set(toFilterId(filter), further),
        isCurrent: true,
        error: undefined,
      }
    })
    keepSoon()
  } catch (error) {
    failed(error)
  } finally {
    useSessionList.setState({ isLoading: false })
  }
}

/** Loads earlier sessions. */
export async function moreSessions(filter: Filter): Promise<void> {
  const before = useSessionList.getState().reached.get(toFilterId(filter))
  if (!before) return refreshSessions(filter)
  if (before.isAll) return
  useSessionList.setState({ isLoading: true })
  try {
    const query = { ...filter, limit: pageSize, until: Math.ceil(before.at) }
    const page = await unchanged(() => askFor(query))
    const now = reachedBy(page, pageSize)
    // If more sessions share a time than fit on a page, the rest is skipped, or loading would never advance.
    const at = now.at >= before.at ? before.at - 1 : now.at
    useSessionList.setState(({ sessions, reached }) => ({
      sessions: mergePage(sessions, page, query),
      reached: new Map(reached).set(toFilterId(filter), { ...now, at }),
      error: undefined,
    }))
  } catch (error) {
    failed(error)
  } finally {
    useSessionList.setState({ isLoading: false })
  }
}

/** Names, pins or hides a session; null removes the name. @example await changeSession(key, { pinned: true }) */
export async function changeSession(
  key: SessionKey,
  notes: { readonly name?: string | null; readonly pinned?: boolean; readonly hidden?: boolean },
): Promise<void> {
  const changed = await api.patch('/api/sessions/:agent/:session', { params: key, body: notes })
  changes += 1
  useSessionList.setState(({ sessions }) => {
    const last = sessions.get(toSessionId(key))?.last
    return { sessions: new Map(sessions).set(toSessionId(key), { ...changed, ...(last ? { last } : {}) }) }
  })
  keepSoon()
}

let changes = 0

/** Repeats a request if the user changed a session meanwhile, because its response would undo the change. */
export async function unchanged<T>(ask: () => Promise<T>): Promise<T> {
  const before = changes
  const answer = await ask()
  return changes === before ? answer : unchanged(ask)
}

async function askFor({ agent, node, hidden, pinned, until, limit }: PageQuery): Promise<SessionInfo[]> {
  const { sessions } = await api.get('/api/sessions', {
    query: {
      agent,
      node,
      until,
      limit,
      last: true,
      hidden: hidden || undefined,
      pinned: pinned || undefined,
    },
  })
  return sessions
}

function reachedBy(page: readonly SessionInfo[], limit: number): Reached {
  return { at: page.at(-1)?.updatedAt ?? 0, isAll: page.length < limit }
}

function failed(error: unknown): void {
  useSessionList.setState({
    error: error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error)),
  })
}

let waiting: ReturnType<typeof setTimeout> | undefined

function keepSoon(): void {
  waiting ??= setTimeout(() => {
    waiting = undefined
    const entries = [...useSessionList.getState().sessions.values()]
    const latest = entries.toSorted((left, right) => right.updatedAt - left.updatedAt)
    void cache.put(
      keptName,
      latest.filter((entry, index) => index < keptSessions || entry.pinned),
    )
  }, 500)
}

/** Agents with sessions, in the order of the server. Agents that it does not know come last. */
export function useKnownAgents(): string[] {
  const sessions = useSessionList((list) => list.sessions)
  const live = useLive((store) => store.live)
  const agents = useAgentStore((store) => store.agents)
  return useMemo(() => {
    const found = new Set([...sessions.values(), ...live.values()].map(({ agent }) => agent))
    const known = new Map(agents?.map(({ id }, index) => [id, index]))
    const place = (agent: string): number => known.get(agent) ?? known.size
    return [...found].toSorted((left, right) => place(left) - place(right) || (left < right ? -1 : 1))
  }, [sessions, live, agents])
}

/** The summary of a session, loaded when it is opened and when `changed` changes. */
export function useSessionInfo({ agent, session }: SessionKey, changed: unknown): SessionInfo | undefined {
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    const { signal } = abort
    unchanged(() => api.get('/api/sessions/:agent/:session', { params: { agent, session }, signal })).then(
      (info) =>
        useSessionList.setState(({ sessions }) => {
          const last = sessions.get(toSessionId(info))?.last
          return {
            sessions: new Map(sessions).set(toSessionId(info), { ...info, ...(last ? { last } : {}) }),
          }
        }),
      () => {
        // A session that just started is not in the ledger yet.
      },
    )
    return () => abort.abort()
  }, [agent, session, isOnline, changed])
  return useSessionList(({ sessions }) => sessions.get(toSessionId({ agent, session })))
}
