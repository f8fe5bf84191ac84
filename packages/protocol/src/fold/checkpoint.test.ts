import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Event } from '../model/event.ts'
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
import { prompt } from './event.test-data.ts'
import { openInTheMiddle, rename } from './open-in-the-middle.test-data.ts'

const seeds = fc.infiniteStream(fc.nat({ max: 999 }))

describe('opening a session at its end', () => {
  it('gives the messages of the whole fold for every interleaving of all channels', () => {
    const outcome = { divided: 0, admitted: 0, refused: 0 }
    fc.assert(
      fc.property(
        truths,
        seeds,
        fc.constantFrom(300, 3_000, 30_000, 100_000),
        fc.boolean(),
        fc.boolean(),
        (truth, numbers, gap, forgetting, inOrder) => {
          const random = {
            nextInt: (min: number, max: number) => min + (numbers.next().value! % (max - min + 1)),
          }
          const lanes = [
            transcript(truth, { forgetting, collecting: !forgetting }),
            acp(truth, 3),
            ...headless(truth, 4),
            hooks(truth),
            terminal(truth),
          ].filter(() => random.nextInt(0, 2) > 0)
          const turns = (each: Event) => Math.floor((each.at - 1_000_000) / 5_000)
          const mixed = interleaved(lanes, random).map((each) => ({
            ...each,
            at: each.at + turns(each) * (gap - 5_000),
          }))
          // In order of their times, as a server stores them, or with some sources much later.
          const events = inOrder ? mixed.sort((a, b) => a.at - b.at) : mixed
          openInTheMiddle(events, random.nextInt(1, events.length), outcome)
        },
      ),
      { numRuns: 150 },
    )
    // Most events fit: only then is a session opened without its older turns.
    expect(outcome.divided).toBeGreaterThan(5)
    expect(outcome.admitted).toBeGreaterThan(5 * outcome.refused)
  })

  it('gives the messages of the whole fold for arbitrary events', () => {
    const outcome = { divided: 0, admitted: 0, refused: 0 }
    fc.assert(
      fc.property(
        fc.array(randomEvents, { minLength: 2, maxLength: 4 }),
        fc.constantFrom(500, 2_000, 70_000),
        fc.nat(),
        fc.nat({ max: 9 }),
        fc.boolean(),
        (drawn, gap, stored, strays, isCalm) => {
          // Sub-agents without a call are shown at the end of the session, so most arbitrary events cannot be divided.
          const isPlain = ({ type, parent }: Event) => type !== 'status' && parent === undefined
          const parts = isCalm ? drawn.map((part) => part.filter(isPlain)) : drawn
          let start = 0
          const events = parts.flatMap((part, index) => {
            const begun = [prompt('transcripts', `prompt ${index % 2}`, `p${index}`), ...part]
            const first = Math.min(...begun.slice(1).map(({ at }) => at))
            const moved = begun.map((each, number) => {
              const isStray = index > 0 && number % 10 < strays && strays < 4
              const at = start + (number === 0 ? 0 : each.at - first + 10)
              return {
                ...(isStray ? each : rename(each, index)),
                at,
                origin: { ...each.origin, key: `${index}.${number}` },
              }
            })
            start = Math.max(...moved.map(({ at }) => at)) + gap
            return moved
          })
          openInTheMiddle(events, 1 + (stored % events.length), outcome)
        },
      ),
      { numRuns: 600 },
    )
    expect(outcome.divided).toBeGreaterThan(0)
    expect(outcome.admitted).toBeGreaterThan(0)
  })
})
