import type { SessionInfo } from '@remora/protocol/api'
import { expect, it } from 'vitest'
import { mergePage, toSessionId } from './merge-page.ts'

const entry = (session: string, updatedAt: number, fields: Partial<SessionInfo> = {}): SessionInfo => ({
  agent: 'claude',
  session,
  messages: 1,
  usage: {},
  startedAt: 0,
  updatedAt,
  pinned: false,
  hidden: false,
  ...fields,
})
const known = (...entries: SessionInfo[]) => new Map(entries.map((each) => [toSessionId(each), each]))
const names = (sessions: ReadonlyMap<string, SessionInfo>) =>
  [...sessions.values()].map(({ session }) => session)
const query = { hidden: false, limit: 3 }

it('removes sessions missing from the page, and keeps those beyond it', () => {
  const before = known(entry('a', 50), entry('gone', 40), entry('far', 10))
  const page = [entry('new', 60), entry('a', 55), entry('b', 30)]
  const merged = mergePage(before, page, query)
  expect(names(merged).toSorted()).toEqual(['a', 'b', 'far', 'new'])
  expect(merged.get('claude/a')?.updatedAt).toBe(55)
})

it('treats a partial page as the end', () => {
  expect(names(mergePage(known(entry('a', 50), entry('far', 10)), [entry('a', 50)], query))).toEqual(['a'])
  expect(names(mergePage(known(entry('a', 50)), [], query))).toEqual([])
})

it('removes only sessions that match the query', () => {
  const before = known(
    entry('other', 50, { agent: 'gemini' }),
    entry('hidden', 50, { hidden: true }),
    entry('later', 90),
    entry('pinned', 20, { pinned: true }),
  )
  const merged = mergePage(before, [], { ...query, agent: 'claude', until: 60 })
  expect(names(merged).toSorted()).toEqual(['hidden', 'later', 'other'])
  expect(names(mergePage(before, [], { ...query, pinned: true })).toSorted()).toEqual([
    'hidden',
    'later',
    'other',
  ])
})

it('keeps the archives, which lists do not contain', () => {
  const archives = [{ month: '2026-08', machine: 'laptop', file: '/archive/remora-2026-08.db', events: 7 }]
  const merged = mergePage(known(entry('a', 50, { archives })), [entry('a', 60)], query)
  expect(merged.get('claude/a')).toMatchObject({ updatedAt: 60, archives })
})
