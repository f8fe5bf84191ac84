import type { LiveInfo } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { PendingAsk } from '../state/live.ts'
import { type Situation, chooseAsk, getAskName, nextAsk } from './choose-ask.ts'
import { toAskKey } from './open-ask.ts'

const pending = (session: string, id: string, more: Partial<PendingAsk> = {}): PendingAsk => ({
  agent: 'gemini',
  session,
  ask: { id, kind: 'permission', title: id, options: [], digest: `digest of ${id}` },
  ...more,
})
const answer = { ask: 'one', by: 'person', digest: 'd' } as const
const key = (session: string) => ({ agent: 'gemini', session })
const choose = (more: Partial<Situation>) =>
  chooseAsk({
    asks: [],
    live: new Map(),
    openSession: undefined,
    wanted: undefined,
    aside: new Set(),
    current: undefined,
    ...more,
  })
const one = pending('a', 'one')
const two = pending('b', 'two')
const three = pending('a', 'three')
const asks = [one, two, three]

it('shows a request in its open session, and announces it elsewhere', () => {
  expect(choose({ asks })).toEqual({ row: [], shown: undefined, waiting: asks })
  expect(choose({ asks, openSession: key('a') })).toEqual({
    row: [one, three],
    shown: one,
    waiting: [two, three],
  })
  expect(choose({ asks, openSession: key('c') }).shown).toBeUndefined()
})

it('shows the requests the user opened: of one session, or all', () => {
  expect(choose({ asks, openSession: key('a'), wanted: key('b') }).shown).toBe(two)
  expect(choose({ asks, wanted: 'all' })).toMatchObject({ row: asks, shown: one })
})

it('does not reopen a dismissed request unless it is opened or its content changed', () => {
  const aside = new Set([toAskKey(one), toAskKey(three)])
  expect(choose({ asks, openSession: key('a'), aside }).shown).toBeUndefined()
  expect(choose({ asks, openSession: key('a'), aside }).waiting).toEqual(asks)
  expect(choose({ asks, wanted: key('a'), aside }).shown).toBe(one)
  const changed = { ...one, ask: { ...one.ask, digest: 'another' } }
  expect(choose({ asks: [changed, two], openSession: key('a'), aside }).shown).toBe(changed)
})

it('keeps the shown request until it is settled, and shows no settled one', () => {
  const settled = { ...three, settled: answer }
  expect(choose({ asks: [one, settled], openSession: key('a'), current: getAskName(three) }).shown).toBe(
    settled,
  )
  expect(choose({ asks: [settled], openSession: key('a') }).shown).toBeUndefined()
  expect(choose({ asks: [settled, one], openSession: key('a') }).shown).toBe(one)
})

it('continues with the next open request, wrapping around', () => {
  const settled = { ...two, settled: answer }
  expect(nextAsk([one, settled, three], one)).toBe(three)
  expect(nextAsk([one, settled, three], three)).toBe(one)
  expect(nextAsk([one], one)).toBeUndefined()
})

it('finds a session by its live id, and ignores review sessions', () => {
  const info = { id: 'l-1', agent: 'gemini', session: 'a', state: 'asking' } as LiveInfo
  const live = new Map([['l-1', info]])
  expect(choose({ asks: [one], live, openSession: key('l-1') }).shown).toBe(one)
  const reviews = new Map([['l-1', { ...info, reviews: { agent: 'claude', session: 'x', review: 'r' } }]])
  expect(choose({ asks, live: reviews }).waiting).toEqual([two])
  expect(choose({ asks, live: reviews, openSession: key('a') }).shown).toBe(one)
})
