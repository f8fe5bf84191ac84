import type { LiveInfo } from '@remora/protocol'
import { expect, it } from 'vitest'
import { type LiveRecord, toLiveInfo } from './live-record.ts'
import type { ManagedSession } from './managed-session.ts'
import { ManagedSessions } from './managed-sessions.ts'

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
const held: ManagedSession = {
  record,
  info: () => toLiveInfo(record, { state: 'working', since: 1, asks: 0, queued: 0, ...unknown }),
  nudge: () => {},
  stored: () => {},
  release: async () => {},
}

it('lists a session until its end is settled, and accepts no commands for it meanwhile', () => {
  const sessions = new ManagedSessions()
  const states = (): LiveInfo['state'][] => sessions.list().map(({ state }) => state)
  sessions.add(held)
  expect(states()).toEqual(['working'])
  sessions.beginEnd(held)
  expect(states()).toEqual(['working'])
  expect(sessions.find('one')?.id).toBe('l-1')
  expect(sessions.of(record)).toBeUndefined()
  expect(sessions.has(held)).toBe(false)
  sessions.listAsEnded(held.info())
  expect(states()).toEqual(['ended'])
})
