import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Event } from '../model/event.ts'
import type { Message } from '../model/message.ts'
import {
  acp,
  headless,
  hooks,
  interleaved,
  randomEvents,
  terminal,
  transcript,
  truths,
} from './conversation.test-data.ts'
import { event, prompt } from './event.test-data.ts'
import { fold, totalUsage } from './index.ts'
import { SessionFold } from './session-fold.ts'

const seeds = fc.infiniteStream(fc.nat({ max: 999 }))
const gaps = fc.constantFrom(0, 300, 5_000, 100_000)

/** Applies events in pieces, and checks after each that the reported changes lead to the new list. */
function applyInPieces(events: readonly Event[], size: () => number): SessionFold {
  const session = new SessionFold()
  const shown: Message[] = []
  for (let from = 0; from < events.length;) {
    const to = from + size()
    for (const change of session.apply(events.slice(from, to)))
      shown.splice(change.from, change.removed, ...change.messages)
    const expected = fold(events.slice(0, to))
    if (JSON.stringify(shown) !== JSON.stringify(expected)) expect(shown).toEqual(expected)
    expect(shown.every((message, index) => message === session.messages[index])).toBe(true)
    from = to
  }
  return session
}

describe('folding event by event', () => {
  it('equals folding at once for every interleaving of all channels', () => {
    fc.assert(
      fc.property(truths, seeds, gaps, fc.boolean(), (truth, numbers, gap, forgetting) => {
        const random = {
          nextInt: (min: number, max: number) => min + (numbers.next().value! % (max - min + 1)),
        }
        const lanes = [
          transcript(truth, { forgetting, collecting: !forgetting }),
          acp(truth, 3),
          ...headless(truth, 4),
          hooks(truth),
          terminal(truth),
        ]
        const events = interleaved(lanes, random).map((each) => {
          const turn = Math.floor((each.at - 1_000_000) / 5_000)
          return { ...each, at: each.at + turn * (gap - 5_000) }
        })
        const session = applyInPieces(events, () => random.nextInt(1, 4))
        expect(session.messages).toEqual(fold(events))
      }),
      { numRuns: 20 },
    )
  })

  it('equals folding at once for arbitrary events', () => {
    fc.assert(
      fc.property(randomEvents, fc.integer({ min: 1, max: 3 }), (events, size) => {
        const session = applyInPieces(events, () => size)
        expect(session.countUsage()).toEqual(totalUsage(events))
      }),
      { numRuns: 500 },
    )
  })

  it('reports only the messages that changed', () => {
    const session = new SessionFold()
    const second = prompt('acp', 'two', 'p2')
    session.apply([prompt('acp', 'one', 'p1'), event('acp', text('a', 0, 'Hello'))])
    session.apply([second, event('acp', text('b', 0, 'Good'))])
    const [before] = session.messages
    const changes = session.apply([event('acp', text('b', 4, ' day'))])
    expect(changes).toMatchObject([
      { from: 3, removed: 1, messages: [{ content: [{ type: 'text', text: 'Good day' }] }] },
    ])
    expect(session.messages[0]).toBe(before)
    expect(session.apply([second])).toEqual([])
  })
})

const text = (entity: string, offset: number, words: string) => ({
  type: 'text' as const,
  entity,
  offset,
  text: words,
})
