import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Event } from '../model/event.ts'
import { Message } from '../model/message.ts'
import {
  acp,
  bare,
  expected,
  headless,
  hooks,
  interleaved,
  terminal,
  transcript,
  truths,
  type Choices,
  type Step,
  type Truth,
} from './conversation.test-data.ts'
import { fold, totalUsage } from './index.ts'

const sizes = fc.integer({ min: 1, max: 6 })
const seeds = fc.infiniteStream(fc.integer({ min: 0, max: 1_000_000 }))

/** A source of choices that fast-check can shrink. */
function choices(stream: Iterable<number>): Choices {
  const numbers = stream[Symbol.iterator]()
  return { nextInt: (min, max) => min + ((numbers.next().value as number) % (max - min + 1)) }
}

type Turn = Truth['turns'][number]

function withSteps(truth: Truth, change: (steps: readonly Step[], turn: Turn) => readonly Step[]): Truth {
  return { turns: truth.turns.map((turn) => ({ ...turn, steps: change(turn.steps, turn) })) }
}

function lastThoughtless(step: Step, index: number, steps: readonly Step[]): Step {
  return index === steps.length - 1 ? { ...step, thinking: '' } : step
}

function joinWordless(steps: readonly Step[]): Step[] {
  const joined: Step[] = []
  for (const step of steps) {
    const last = joined.at(-1)
    if (last && !step.thinking && !step.text)
      joined.splice(-1, 1, { ...last, tools: [...last.tools, ...step.tools] })
    else joined.push(step)
  }
  return joined
}

const mixes = {
  'headless, hooks and transcript': (truth: Truth, size: number) => [
    transcript(truth),
    ...headless(truth, size),
    hooks(truth),
  ],
  'acp and a transcript that collects its calls': (truth: Truth, size: number) => [
    transcript(truth, { collecting: true }),
    acp(truth, size),
  ],
  'all of them': (truth: Truth, size: number) => [
    transcript(truth),
    acp(truth, size),
    ...headless(truth, size),
    hooks(truth),
  ],
  'a transcript that drops cancelled turns, with all that saw them': (truth: Truth, size: number) => [
    transcript(truth, { forgetting: true }),
    ...headless(truth, size),
    hooks(truth),
    terminal(truth),
  ],
}

describe.each(Object.entries(mixes))('folding %s', (_, lanes) => {
  it('gives the same messages for every interleaving, with repeats', () => {
    fc.assert(
      fc.property(truths, sizes, seeds, (truth, size, stream) => {
        const byChannel = lanes(truth, size)
        const mixed = interleaved(byChannel, choices(stream))
        expect(fold(mixed)).toEqual(fold(byChannel.flat()))
      }),
      { numRuns: 300 },
    )
  })
})

describe('folding', () => {
  it('gives the true conversation from headless, hooks and transcript', () => {
    fc.assert(
      fc.property(truths, sizes, (truth, size) => {
        const seen = fold([transcript(truth), ...headless(truth, size), hooks(truth)].flat())
        // None of these three channels reports the thought of a cancelled answer.
        const reported = withSteps(truth, (steps, { cancelled }) =>
          cancelled ? steps.map(lastThoughtless) : steps,
        )
        expect(bare(seen)).toEqual(expected(reported))
      }),
      { numRuns: 300 },
    )
  })

  it('keeps cancelled turns that the transcript drops, each once and marked', () => {
    fc.assert(
      fc.property(truths, sizes, (truth, size) => {
        const dropping = transcript(truth, { forgetting: true })
        const others = [...headless(truth, size), hooks(truth), terminal(truth)].flat()
        const seen = fold([...dropping, ...others])
        expect(bare(seen)).toEqual(bare(fold([...transcript(truth), ...others])))
        const prompts = seen.filter(({ role }) => role === 'user')
        expect(prompts.map(({ interrupted }) => interrupted === true)).toEqual(
          truth.turns.map(({ cancelled }) => cancelled),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('gives the conversation without thinking from headless and hooks alone', () => {
    fc.assert(
      fc.property(truths, sizes, (truth, size) => {
        const reported = withSteps(truth, (steps) =>
          joinWordless(steps.map((step) => ({ ...step, thinking: '' }))),
        )
        expect(bare(fold([...headless(truth, size), hooks(truth)].flat()))).toEqual(expected(reported))
      }),
      { numRuns: 300 },
    )
  })

  it('gives the true conversation from acp and a transcript that collects its calls', () => {
    fc.assert(
      fc.property(truths, sizes, (truth, size) => {
        // Neither channel shows the boundary between two steps without text.
        const reported = expected(withSteps(truth, joinWordless))
        expect(bare(fold([...transcript(truth, { collecting: true }), ...acp(truth, size)]))).toEqual(
          reported,
        )
      }),
      { numRuns: 300 },
    )
  })

  it('does not depend on how text is split', () => {
    fc.assert(
      fc.property(truths, sizes, sizes, (truth, left, right) => {
        expect(bare(fold(acp(truth, left)))).toEqual(bare(fold(acp(truth, right))))
      }),
    )
  })

  it('gives messages, and accepts events, that fit their schemas', () => {
    fc.assert(
      fc.property(truths, sizes, (truth, size) => {
        const events = [transcript(truth), ...headless(truth, size), hooks(truth), acp(truth, size)].flat()
        for (const event of events) expect(Event.parse(event)).toEqual(event)
        for (const message of fold(events)) expect(Message.parse(message)).toEqual(message)
      }),
      { numRuns: 30 },
    )
  })

  it('gives every message a unique id', () => {
    fc.assert(
      fc.property(truths, sizes, (truth, size) => {
        const ids = fold([...transcript(truth), ...acp(truth, size)]).map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })

  it('counts the usage of the finest scope and never adds scopes', () => {
    fc.assert(
      fc.property(truths, sizes, seeds, (truth, size, stream) => {
        const lanes = [transcript(truth), ...headless(truth, size)]
        const written = truth.turns.map(({ steps, cancelled }) => steps.length - (cancelled ? 1 : 0))
        // For a turn without a transcript record, the run's total is used.
        const input = written.reduce((sum, count) => sum + (count > 0 ? count * 10 : 7), 0)
        expect(totalUsage(interleaved(lanes, choices(stream))).inputTokens ?? 0).toBe(input)
      }),
    )
  })
})
