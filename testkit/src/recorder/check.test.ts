import { describe, expect, it } from 'vitest'
import { findNearestRecorded, parseRecords } from './check.ts'

describe('findNearestRecorded', () => {
  it('chooses the recorded version with the least distance', async () => {
    expect(await findNearestRecorded('gemini', '0.45.2')).toBe('0.34.0')
    expect(await findNearestRecorded('gemini', '0.60.9')).toBe('0.61.0')
    expect(await findNearestRecorded('gemini', '0.11.3')).toBe('0.27.4')
    expect(await findNearestRecorded('gemini', '0.34.0')).toBe('0.34.0')
  })
})

describe('parseRecords', () => {
  it('takes the messages of a single document as records', () => {
    const document = JSON.stringify({ sessionId: 'x', messages: [{ type: 'user' }, { type: 'gemini' }] })
    expect(parseRecords('session.json', document)).toEqual([
      { sessionId: 'x' },
      { type: 'user' },
      { type: 'gemini' },
    ])
  })

  it('names an ACP response by the request of the other side, though both count from zero', () => {
    const wire = [
      { from: 'client', message: { id: 0, method: 'initialize' } },
      { from: 'agent', message: { id: 0, method: 'session/request_permission' } },
      { from: 'client', message: { id: 0, result: { outcome: {} } } },
      { from: 'agent', message: { id: 0, result: { protocolVersion: 1 } } },
    ]
    const records = parseRecords('acp.jsonl', wire.map((record) => JSON.stringify(record)).join('\n'))
    expect(records).toEqual([
      { id: 0, method: 'initialize' },
      { id: 0, method: 'session/request_permission' },
      { answers: 'session/request_permission', id: 0, result: { outcome: {} } },
      { answers: 'initialize', id: 0, result: { protocolVersion: 1 } },
    ])
  })

  it('keeps a line that is no JSON', () => {
    expect(parseRecords('stream.jsonl', '{"type":"init"}\noops\n')).toEqual([{ type: 'init' }, 'oops'])
  })
})
