import { expect, it } from 'vitest'
import { runApprovals } from './approval-run.test-data.ts'

// The same as `npm run faults -- approvals`, with as many requests as fit into every test run.
it.each([
  { agent: 'claude', version: '2.1.326', count: 8 },
  { agent: 'claude', version: '2.1.197', count: 4 },
  { agent: 'codex', version: '0.169.0', count: 4 },
  { agent: 'gemini', version: '0.61.0', count: 4 },
  { agent: 'opencode', version: '1.18.33', count: 4 },
])(
  'gives each of $count requests of $agent $version one ask and one true audit entry',
  async ({ count, ...options }) => {
    const { requests, problems } = await runApprovals({ ...options, count, seed: 7 })
    expect(problems).toEqual([])
    expect(requests).toBe(count)
  },
  600_000,
)
