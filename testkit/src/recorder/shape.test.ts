import { describe, expect, it } from 'vitest'
import { compareShapes, formatDrift, getShape } from './shape.ts'

function drift(before: unknown[], now: unknown[]): string[] {
  return compareShapes(getShape(before), getShape(now)).map((each) =>
    formatDrift('gemini@1.0.0 stream', each),
  )
}

describe('compareShapes', () => {
  it('finds nothing where only values differ', () => {
    expect(drift([{ type: 'init', id: 'a', n: 1 }], [{ type: 'init', id: 'b', n: 2 }])).toEqual([])
  })

  it('takes records together, so that an optional field is no drift', () => {
    const before = [{ type: 'end' }, { type: 'end', error: 'x' }]
    expect(drift(before, [{ type: 'end', error: 'y' }, { type: 'end' }])).toEqual([])
  })

  it('names a new field below keys that are data', () => {
    const before = [{ type: 'result', stats: { models: { 'gemini-2.5-flash': { total: 1 } } } }]
    const now = [{ type: 'result', stats: { models: { 'gemini-3.5-pro': { total: 1, input: 2 } } } }]
    expect(drift(before, now)).toEqual([
      'gemini@1.0.0 stream: result.stats.models.* new field "input" (number)',
    ])
  })

  it('names what is gone, new as a whole, or of another type', () => {
    const before = [{ type: 'a', x: 1, y: 'old' }, { type: 'b' }]
    const now = [
      { type: 'a', x: '1' },
      { type: 'c', z: true },
    ]
    expect(drift(before, now)).toEqual([
      'gemini@1.0.0 stream: a.x changed from number to string',
      'gemini@1.0.0 stream: a field "y" is gone',
      'gemini@1.0.0 stream: b this kind of record is gone',
      'gemini@1.0.0 stream: c new kind of record with "type", "z"',
    ])
  })

  it('tells items of a list by their type', () => {
    const before = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }]
    const now = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image', url: 'y' },
        ],
      },
    ]
    expect(drift(before, now)).toEqual(['gemini@1.0.0 stream: user.content new field "[image]" (object)'])
  })

  it('tells a new object once, not field by field', () => {
    expect(drift([{ type: 'a' }], [{ type: 'a', more: { x: 1, y: { z: 2 } } }])).toEqual([
      'gemini@1.0.0 stream: a new field "more" (object)',
    ])
  })

  it('tells kinds by nested words', () => {
    const kinds = [
      ...getShape([
        { type: 'item.completed', item: { type: 'agent_message' } },
        { method: 'session/update', params: { update: { sessionUpdate: 'tool_call' } } },
        { hook_event_name: 'Stop' },
        { $set: {} },
        { sessionId: 'x' },
        'text',
      ]).keys(),
    ]
    expect(kinds).toEqual([
      'item.completed/agent_message',
      'session/update/tool_call',
      'Stop',
      '$set',
      'record',
      'string',
    ])
  })
})
