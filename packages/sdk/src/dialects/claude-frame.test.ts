import { expect, it } from 'vitest'
import { EventMaker, type EventFields } from '../events/event-maker.ts'
import { ClaudeFrame, RecentMap } from './claude-frame.ts'

const createMaker = () => new EventMaker({ agent: 'other', channel: 'transcripts', source: 'transcript' })
const prompt = (entity: string): EventFields => ({ type: 'message', entity, role: 'user', content: [] })

it('emits the folder once and the version whenever it changes', () => {
  const frame = new ClaudeFrame(createMaker(), {}, undefined)
  const record = { sessionId: 's', version: '1', cwd: '/w', timestamp: '2026-01-01T00:00:00Z' }
  frame.begin(record)
  expect(frame.start(record)).toEqual([{ type: 'session', entity: 's', cwd: '/w', version: '1' }])
  expect(frame.start(record)).toEqual([])
  expect(frame.start({ ...record, version: '2' })).toEqual([{ type: 'session', entity: 's', version: '2' }])
})

it('withdraws the earlier prompt if two follow the same record, also after a restart', () => {
  const first = new ClaudeFrame(createMaker(), {}, undefined)
  expect(first.branch({ parentUuid: 'a' }, [prompt('b')])).toEqual([prompt('b')])
  const maker = createMaker()
  const later = new ClaudeFrame(maker, first.state(), first.prompts())
  maker.session = 's'
  expect(later.branch({ parentUuid: 'a' }, [prompt('c')])).toEqual([
    { type: 'status', entity: 's', status: 'rewound', value: { to: 'b' } },
    prompt('c'),
  ])
})

it('drops the oldest entries of a map', () => {
  const map = new RecentMap<number>(2, [['a', 1], ['b', 2], 'damaged'])
  map.set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
