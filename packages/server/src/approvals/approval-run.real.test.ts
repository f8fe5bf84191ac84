import { expect, it } from 'vitest'
import { listPinnedAgents, listTestVersions } from '../../../../testkit/src/index.ts'
import { runApprovals } from './approval-run.test-data.ts'

// The same as `npm run faults -- approvals`, with as many requests as fit into every test run.
const runs = listPinnedAgents()
  .filter(({ terminal }) => terminal !== undefined)
  .flatMap(({ id: agent, hooks }) =>
    // A hook that waits for a decision is one more way to answer.
    listTestVersions(agent).map((version) => ({ agent, version, count: hooks?.approval ? 8 : 4 })),
  )

it.each(runs)(
  'gives each of $count requests of $agent $version one ask and one true audit entry',
  async ({ count, ...options }) => {
    const { requests, problems } = await runApprovals({ ...options, count, seed: 7 })
    expect(problems).toEqual([])
    expect(requests).toBe(count)
  },
  600_000,
)
