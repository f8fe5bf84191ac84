import { describe, expect, it } from 'vitest'
import type { Event } from '../model/event.ts'
import { sessionState } from './session-state.ts'

const minute = 60_000

type Fields = Partial<Event> & Pick<Event, 'type'>

/** Events at intervals of one second, starting at one second. */
function createEvents(...fields: readonly Fields[]): Event[] {
  return fields.map((each, index) => ({
    agent: 'gemini',
    session: 's',
    entity: `e${index}`,
    origin: { channel: 'hooks', source: 'spool', key: String(index) },
    at: (index + 1) * 1000,
    ...each,
  })) as Event[]
}

const prompt: Fields = { type: 'message', role: 'user', content: [{ type: 'text', text: 'Go' }] }
const call: Fields = { type: 'tool_use', entity: 'c', name: 'Bash', input: {} }
const waiting: Fields = { type: 'status', status: 'waiting', detail: 'Shell' }
const result = (status: 'success' | 'cancelled' | 'denied'): Fields => ({
  type: 'tool_result',
  entity: 'c',
  status,
})

const stateAt = (now: number, ...fields: readonly Fields[]) => sessionState(createEvents(...fields), now)

describe('sessionState', () => {
  it('is idle before the first prompt, working after a prompt, idle when it is done', () => {
    expect(stateAt(0)).toEqual({ state: 'idle', since: 0 })
    expect(stateAt(2000, prompt)).toEqual({ state: 'working', since: 1000 })
    expect(stateAt(5000, prompt, { type: 'done', ok: true })).toEqual({ state: 'idle', since: 2000 })
    expect(stateAt(5000, prompt, { type: 'status', status: 'ended' }).state).toBe('ended')
    expect(stateAt(5000, { type: 'status', status: 'ended' }, prompt).state).toBe('working')
  })

  it('is idle after a rewind until the next event', () => {
    const back: Fields = { type: 'status', status: 'rewound', value: { keep: [] } }
    expect(stateAt(3000, prompt, back)).toEqual({ state: 'idle', since: 2000 })
    expect(stateAt(4000, prompt, back, prompt).state).toBe('working')
  })

  it('is waiting with a detail while the user is asked, then working again', () => {
    expect(stateAt(60 * minute, prompt, call, waiting)).toEqual({
      state: 'waiting',
      since: 3000,
      detail: 'Shell',
    })
    expect(stateAt(5000, prompt, call, waiting, result('success')).state).toBe('working')
  })

  it.each([
    ['a refusal without further events', [prompt, call, waiting, result('denied')], 2 * minute],
    ['a call that was cancelled', [prompt, call, result('cancelled')], 2 * minute],
    ['an answer without an end', [prompt, { type: 'text', offset: 0, text: 'Well' }], 2 * minute],
    ['a prompt without an answer', [prompt], 11 * minute],
    ['a call that never ends', [prompt, call], 61 * minute],
    ['an ask that is never answered', [prompt, call, waiting], 25 * 60 * minute],
  ] satisfies [string, Fields[], number][])('does not work for ever: %s', (_, fields, later) => {
    const last = fields.length * 1000
    expect(stateAt(last + 1000, ...fields).state).not.toBe('idle')
    expect(stateAt(last + later, ...fields)).toEqual({ state: 'idle', since: last })
  })

  it('stays working during a long call and while a sub-agent is active', () => {
    expect(stateAt(30 * minute, prompt, call).state).toBe('working')
    const sub: Fields = { type: 'text', parent: 'c', offset: 0, text: 'x', at: 50 * minute }
    expect(stateAt(70 * minute, prompt, call, sub).state).toBe('working')
  })

  it.each(['success', 'denied', 'cancelled'] as const)(
    'stays idle when the result of a call is repeated: %s',
    (status) => {
      const done: Fields = { type: 'done', ok: true }
      const over = [prompt, call, result(status), done]
      expect(stateAt(6000, ...over, result(status))).toEqual({ state: 'idle', since: 4000 })
      const ended: Fields = { type: 'status', status: 'ended' }
      expect(stateAt(7000, ...over, ended, result(status))).toEqual({ state: 'ended', since: 5000 })
      // The result of a call without a start counts only while the agent is working.
      expect(stateAt(11_000, prompt, result(status)).state).toBe('working')
      expect(stateAt(9000, ...over, prompt, result(status))).toEqual({ state: 'working', since: 5000 })
    },
  )

  it('does not depend on the order of the events', () => {
    const events = createEvents(prompt, call, waiting, result('success'), { type: 'done', ok: true })
    for (let turn = 0; turn < events.length; turn++) {
      events.push(events.shift()!)
      expect(sessionState(events, 6000)).toEqual({ state: 'idle', since: 5000 })
    }
  })
})
