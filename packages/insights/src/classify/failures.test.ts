import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type ClassifiedCall, classify } from './classify.ts'
import { type FailureClass, failureClasses } from './failure-class.ts'

/** A failure of a real CLI, labelled by its known cause. */
interface Recorded extends ClassifiedCall {
  readonly version: string
  readonly expected: FailureClass
  readonly how: string
}

const recorded = readFileSync(new URL('../fixtures/failures.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

it('has enough recorded failures, of every class and of several agents', () => {
  expect(recorded.length).toBeGreaterThanOrEqual(200)
  expect(new Set(recorded.map(({ expected }) => expected))).toEqual(new Set(failureClasses))
  expect(new Set(recorded.map(({ agent }) => agent)).size).toBeGreaterThanOrEqual(3)
})

it('classifies at least 95 of 100 recorded failures correctly', () => {
  const wrong = recorded.flatMap((failure) => {
    const found = classify(failure)
    return found.class === failure.expected ? [] : [{ failure, found }]
  })
  const lines = wrong.map(
    ({ failure: { agent, tool, expected, error, how }, found }) =>
      `${expected} was taken for ${found.class} (${found.rule}): ${agent} ${tool}, ${how}: ${JSON.stringify(error?.slice(0, 300))}`,
  )
  const share = 1 - wrong.length / recorded.length
  expect(
    share,
    [`${wrong.length} of ${recorded.length} wrong`, confusion(), ...lines].join('\n'),
  ).toBeGreaterThanOrEqual(0.95)
})

/** The expected and the found class, by line. */
function confusion(): string {
  const lines = failureClasses.map((expected) => {
    const counts = failureClasses.map(
      (found) =>
        recorded.filter((failure) => failure.expected === expected && classify(failure).class === found)
          .length,
    )
    const found = failureClasses.flatMap((kind, index) =>
      counts[index]! > 0 ? [`${kind} ${counts[index]}`] : [],
    )
    return `  ${expected}: ${found.join(', ')}`
  })
  return lines.join('\n')
}
