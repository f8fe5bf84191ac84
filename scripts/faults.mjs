// `npm run faults -- <kind>`: injects random faults and checks that nothing is lost or duplicated. docs/testing.md describes
// the kinds and their options. Needs `npm run build`.
import { parseArgs } from 'node:util'
import { breakApprovals } from './faults/approvals.mjs'
import { breakHooks } from './faults/hooks.mjs'
import { breakLedger } from './faults/ledger.mjs'
import { breakLive } from './faults/live.mjs'
import { breakNodes } from './faults/nodes.mjs'
import { breakPlan } from './faults/plan.mjs'
import { breakReaders } from './faults/readers.mjs'

const kinds = {
  ledger: breakLedger,
  hooks: breakHooks,
  live: breakLive,
  nodes: breakNodes,
  readers: breakReaders,
  approvals: breakApprovals,
  plan: breakPlan,
}
const successes = new Map([
  [breakReaders, 'Nothing was thrown, no other session was affected.'],
  [breakApprovals, 'One ask and one true audit entry for each request.'],
  [breakPlan, 'Nothing changed in plan mode.'],
])
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    points: { type: 'string' },
    hooks: { type: 'string', default: '2000' },
    'at-once': { type: 'string', default: '50' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    live: { type: 'string', default: '3' },
    only: { type: 'string' },
    count: { type: 'string', default: '1000' },
    agent: { type: 'string' },
  },
})
const kind = kinds[positionals[0]]
const usual = kind === breakLive ? '300' : '200'
const [points, hooks, atOnce, terminals] = [
  values.points ?? usual,
  values.hooks,
  values['at-once'],
  values.live,
].map(Number)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9))
const minutes = Number(values.minutes)
const count = Number(values.count)
const counts = [points, hooks, atOnce, terminals, count]
const valid = counts.every((count) => Number.isInteger(count) && count >= 1) && minutes > 0
if (!kind || !valid || !Number.isInteger(seed)) {
  console.error(
    'Usage: npm run faults -- ledger [--points 200] [--seed 1] | hooks [--hooks 2000] [--at-once 50] [--seed 1] | live [--points 300] [--seed 1] [--live 3] [--only "killed servers"] | nodes [--points 200] [--seed 1] | readers [--minutes 10] [--seed 1] | approvals [--count 1000] [--seed 1] [--agent claude@2.1.326] | plan [--only "codex 0.169.0"]',
  )
  process.exit(2)
}
const hasPoints = kind === breakLedger || kind === breakLive || kind === breakNodes
console.log(`${hasPoints ? `${points} faults, ` : ''}seed ${seed}`)
const problems = await kind({
  points,
  hooks,
  atOnce,
  minutes,
  seed,
  terminals,
  only: values.only,
  count,
  agent: values.agent,
})
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0
    ? (successes.get(kind) ?? 'Nothing lost, nothing duplicated.')
    : `${problems.length} problems. Repeat with --seed ${seed}`,
)
process.exitCode = problems.length === 0 ? 0 : 1
