import type { LiveInfo } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { HeldSession } from './managed-session.ts'
import { HeldSessions } from './managed-sessions.ts'
import { infoOf } from './live-info.ts'
import type { LiveRecord } from './live-record.ts'

const record: LiveRecord = {
  id: 'l-1',
  agent: 'gemini',
  session: 'one',
  channel: 'terminal',
  cwd: '/work',
  startedAt: 1,
  adopted: false,
}
const unknown = { detail: undefined, title: undefined, mode: undefined, model: undefined }
const held: HeldSession = {
  record,
  info: () => infoOf(record, { state: 'working', since: 1, asks: 0, queued: 0, ...unknown }),
  nudge: () => {},
  stored: () => {},
  release: async () => {},
}

it('shows a session without a gap until its end is settled, and takes nothing for it meanwhile', () => {
  const sessions = new HeldSessions()
  const states = (): LiveInfo['state'][] => sessions.list().map(({ state }) => state)
  sessions.add(held)
  expect(states()).toEqual(['working'])
  sessions.part(held)
  expect(states()).toEqual(['working'])
  expect(sessions.find('one')?.id).toBe('l-1')
  expect(sessions.of(record)).toBeUndefined()
  expect(sessions.has(held)).toBe(false)
  sessions.linger(held.info())
  expect(states()).toEqual(['ended'])
})
