import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStabiliser } from './stabilise.ts'

const literals = {
  '/tmp/remora-home-a1B2c3/home/work': '/home/user/work',
  '/tmp/remora-home-a1B2c3/home': '/home/user',
}
const first = '5239999a-1c1f-4f2e-9a3b-0123456789ab'
const second = '01a1b2c3-1111-7222-8333-abcdefabcdef'

describe('createStabiliser', () => {
  it('numbers ids by their first appearance, the same in every file', () => {
    const stable = createStabiliser({ literals })
    expect(stable.text(`${second} ${first}`)).toBe(
      '00000001-0000-4000-8000-000000000000 00000002-0000-4000-8000-000000000000',
    )
    expect(stable.jsonLines(JSON.stringify({ id: first }))).toBe(
      '{"id":"00000002-0000-4000-8000-000000000000"}',
    )
  })

  it('knows the short id of a session file', () => {
    const stable = createStabiliser({ literals })
    stable.text(first)
    expect(stable.text('chats/session-2026-11-15T17-43-5239999a.jsonl')).toBe(
      'chats/session-2026-01-01T00-00-00000001.jsonl',
    )
  })

  it('makes paths, times and durations constant, in values and in keys', () => {
    const stable = createStabiliser({ literals })
    const record = {
      '/tmp/remora-home-a1B2c3/home/work': 1,
      at: '2026-11-15T17:43:55.579Z',
      ms: 1794764657841,
      s: 1794764657,
      duration_ms: 192,
      tokens: 1025,
    }
    expect(stable.value(record)).toEqual({
      '/home/user/work': 1,
      at: '2026-01-01T00:00:00.000Z',
      ms: 1767225600000,
      s: 1767225600,
      duration_ms: 1,
      tokens: 1025,
    })
  })

  it('keeps ids with a clock in them apart', () => {
    const stable = createStabiliser({ literals })
    const ids = [
      'write_file_1794764657841_0',
      'write_file_1794764659999_0',
      'write_file_1794764657841_0',
    ].map(stable.text)
    expect(ids[0]).toBe('write_file_1767225600001_0')
    expect(ids[1]).toBe('write_file_1767225600002_0')
    expect(ids[2]).toBe(ids[0])
  })

  it('keeps the length of prefixed ids and leaves words alone', () => {
    const stable = createStabiliser({ literals })
    expect(stable.text('ses_7f3kQ92mNzX01abcdEFG')).toBe('ses_00000000000000000001')
    expect(stable.text('tool_result_something req_abcdefghijkl')).toBe(
      'tool_result_something req_abcdefghijkl',
    )
  })

  it('trims long texts and says how long they were', () => {
    const stable = createStabiliser({ literals })
    expect(stable.value({ prompt: 'x'.repeat(5000) })).toEqual({
      prompt: `${'x'.repeat(400)}…[5000 characters]`,
    })
  })

  it('leaves alone what is stable already', () => {
    const piece = fc.oneof(
      fc.uuid(),
      fc
        .date({ noInvalidDate: true, min: new Date('2020-01-01'), max: new Date('2030-01-01') })
        .map((date) => date.toISOString()),
      fc.integer({ min: 1_700_000_000_000, max: 1_999_999_999_999 }).map((ms) => `call_${ms}_0`),
      fc.constantFrom(
        '/tmp/remora-home-a1B2c3/home/work/x.txt',
        'msg_7f3kQ92mNzX01abcd',
        'plain',
        'x'.repeat(3000),
      ),
      fc.string(),
    )
    const record = fc.dictionary(
      fc.constantFrom('id', 'duration_ms', 'text', 'timestamp'),
      fc.oneof(
        piece,
        fc.integer(),
        fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
        fc.array(piece),
      ),
    )
    fc.assert(
      fc.property(fc.array(record), (records) => {
        const lines = records.map((each) => JSON.stringify(each)).join('\n')
        const once = createStabiliser({ literals }).jsonLines(lines)
        expect(createStabiliser({ literals }).jsonLines(once)).toBe(once)
      }),
    )
  })
})
