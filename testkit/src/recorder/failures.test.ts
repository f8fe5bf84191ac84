import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { failureClasses } from '@remora/protocol/plain'
import { describe, expect, it } from 'vitest'
import { repository } from '../clis.ts'
import { failingSessions } from './failures-provocations.ts'
import type { RecordedFailure } from './failures.ts'

const text = readFileSync(
  join(repository, 'packages', 'insights', 'src', 'fixtures', 'failures.jsonl'),
  'utf8',
)
const all = text
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedFailure)
const recorded = all.filter(({ how }) => how === 'recorded')

describe('the recorded failures', () => {
  it.each(failureClasses)('have enough of %s', (name) => {
    expect(recorded.filter(({ expected }) => expected === name).length).toBeGreaterThanOrEqual(8)
  })

  it.each([...new Set(recorded.map(({ agent }) => agent))])(
    'have every call that %s was made to make',
    (agent) => {
      const newest = recorded.find((each) => each.agent === agent)!.version
      const provoked = failingSessions(agent, true)
        .flatMap(({ provocations }) => provocations)
        .flatMap(({ expected }) => expected ?? [])
      const found = recorded.filter((each) => each.agent === agent && each.version === newest)
      expect(found.map(({ expected }) => expected)).toEqual(provoked)
    },
  )

  it('are all failures, of a length to read, and tell nothing of the machine', () => {
    for (const { status, error } of all) {
      expect(['error', 'denied', 'cancelled', 'timeout']).toContain(status)
      expect(error.length).toBeLessThanOrEqual(2000)
    }
    expect(text).not.toMatch(/remora-home-|\/tmp\/|\/root\/\.|PGID: [2-9]/)
    expect(text).not.toContain(repository)
  })

  it('say where words were found that are not recorded', () => {
    for (const { how, from } of all) expect(from !== undefined).toBe(how === 'generated')
  })
})
