import type { Event } from '@remora/protocol/plain'
import { describe, expect, it } from 'vitest'
import { doing } from './head.ts'

process.env['TZ'] = 'UTC'

const at = Date.UTC(2026, 4, 17, 12, 30)
const base = { agent: 'gemini', session: 's', origin: { channel: 'hooks', source: 'spool', key: '1' }, at }
const prompt = { ...base, type: 'message', entity: 'p', role: 'user', content: [] } as Event
const waiting = {
  ...base,
  type: 'status',
  entity: 'w',
  status: 'waiting',
  detail: 'Shell',
  at: at + 1,
} as Event

describe('the head of a session', () => {
  it('shows the current activity, if any', () => {
    expect(doing([prompt], at + 1000)).toEqual(['Working since 12:30'])
    expect(doing([prompt, waiting], at + 1000)).toEqual(['Waiting for you since 12:30: Shell'])
    expect(doing([prompt], at + 86_400_000)).toEqual([])
  })

  it('shows no pending question of a process that exited', () => {
    const question = { id: 'connection/ask/1', kind: 'permission', title: 'make', options: [], digest: 'd' }
    const ask = { ...base, type: 'ask', entity: question.id, ask: question, at: at + 1 } as Event
    expect(doing([prompt, ask], at + 1000)).toEqual(['Waiting for you since 12:30: make'])
    expect(doing([prompt, ask], at + 1000, new Set(['other']))).toHaveLength(1)
    expect(doing([prompt, ask], at + 1000, new Set([question.id]))).toEqual([])
    expect(doing([ask, { ...waiting, at: at + 2 }, prompt], at + 1000, new Set([question.id]))).toEqual([])
  })
})
