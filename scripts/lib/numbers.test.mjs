import { describe, expect, it } from 'vitest'
import { getPart, timeByPart } from './budget.mjs'
import { duration } from './progress.mjs'
import { count } from './vitest.mjs'

describe('count', () => {
  const file = (status, tests) => ({ name: 'a', status, assertionResults: tests, startTime: 1, endTime: 2 })

  it('uses the numbers of the report', () => {
    const report = {
      numPassedTests: 3,
      numFailedTests: 2,
      testResults: [file('failed', [{ status: 'failed' }])],
    }
    expect(count(report, 1)).toMatchObject({ passed: 3, failed: 2 })
  })

  it('counts a file that does not load', () => {
    const report = { numPassedTests: 3, numFailedTests: 0, testResults: [file('failed', [])] }
    expect(count(report, 1)).toMatchObject({ passed: 3, failed: 1 })
  })

  it('counts a file whose setup fails in addition to failures in other files', () => {
    const testResults = [file('failed', [{ status: 'skipped' }]), file('failed', [{ status: 'failed' }])]
    expect(count({ numPassedTests: 3, numFailedTests: 1, testResults }, 1)).toMatchObject({
      passed: 3,
      failed: 2,
    })
  })

  it('counts a failure that only the exit code shows, such as low coverage', () => {
    expect(count({ numPassedTests: 3, numFailedTests: 0, testResults: [] }, 1)).toMatchObject({ failed: 1 })
  })

  it('counts a missing report, or one without tests, as a failure', () => {
    expect(count(undefined, 0)).toMatchObject({ passed: 0, failed: 1 })
    expect(count({ numPassedTests: 0, numFailedTests: 0, testResults: [] }, 0)).toMatchObject({ failed: 1 })
  })
})

describe('time', () => {
  it('counts files that run side by side once', () => {
    const files = [
      { name: '/r/packages/sdk/src/channels/acp/a.real.test.ts', started: 0, ended: 100 },
      { name: '/r/packages/sdk/src/channels/acp/b.real.test.ts', started: 50, ended: 120 },
      { name: '/r/testkit/src/c.real.test.ts', started: 200, ended: 210 },
    ]
    expect(timeByPart(files)).toEqual({ acp: 120, live: 10 })
  })

  it('is split between parts that run side by side', () => {
    const files = [
      { name: '/r/packages/sdk/src/channels/acp/a.real.test.ts', started: 0, ended: 100 },
      { name: '/r/packages/sdk/src/channels/hooks/b.real.test.ts', started: 50, ended: 120 },
    ]
    expect(timeByPart(files)).toEqual({ acp: 75, hooks: 45 })
  })

  it('finds the part of a file by its path in the repository, not by the folder of the checkout', () => {
    expect(getPart({ name: '/home/hooks/packages/sdk/src/x.real.test.ts' })).toBe('live')
    expect(getPart({ name: '/r/packages/sdk/src/channels/hooks/x.real.test.ts' })).toBe('hooks')
    expect(getPart({ name: '/r/packages/sdk/src/agents/claude/claude.acp.real.test.ts' })).toBe('acp')
  })

  it.each([
    'server/src/live/gemini.live',
    'server/src/host/host',
    'server/src/review/review',
    'server/src/approvals/approvals',
    'cli/src/live/live',
    'cli/src/run/demo/demo',
    'sdk/src/channels/terminal/adoption',
  ])('of %s is that of live sessions', (name) => {
    expect(getPart({ name: `/r/packages/${name}.real.test.ts` })).toBe('live')
  })

  it('is formatted as text', () => {
    expect(duration(1500)).toBe('1.5 s')
    expect(duration(119_800)).toBe('2 min 0 s')
  })
})
