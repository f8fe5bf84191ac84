import type { SessionInfo } from '@remora/protocol/api'
import { afterEach, expect, it, vi } from 'vitest'
import { changeSession, refreshSessions, useSessionList } from './session-list.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  useSessionList.setState(useSessionList.getInitialState(), true)
})

it('keeps a change made while the list was loading', async () => {
  const key = { agent: 'gemini', session: 's' }
  let name = 'Before'
  const tellSlowly: (() => void)[] = []
  const entry = () => ({ ...key, name, updatedAt: 1 }) as unknown as SessionInfo
  vi.stubGlobal('fetch', async (_path: string, { method }: RequestInit) => {
    if (method === 'PATCH') {
      name = 'After'
      return Response.json(entry())
    }
    const answer = Response.json({ sessions: [entry()] })
    if (name === 'Before') await new Promise<void>((resolve) => tellSlowly.push(resolve))
    return answer
  })
  const refreshed = refreshSessions({ hidden: false })
  await vi.waitUntil(() => tellSlowly.length === 2, { timeout: 60_000 })
  await changeSession(key, { name: 'After' })
  for (const tell of tellSlowly) tell()
  await refreshed
  expect([...useSessionList.getState().sessions.values()]).toMatchObject([{ name: 'After' }])
})
