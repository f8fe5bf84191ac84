// `npm run faults -- ledger [--points 200] [--seed 1]`: kills what writes the ledger at random moments, and looks whether
// anything was lost or doubled. `npm run faults -- hooks [--hooks 2000] [--at-once 50] [--seed 1]`: does so to what drains
// the spool, while hooks run. `npm run faults -- live [--points 300] [--seed 1]`: does so to the server and to all that it
// talks to, under load; `--live 20` sets the number of terminals and `--only 'killed servers'` draws one kind of fault.
// `npm run faults -- nodes [--points 200] [--seed 1]`: does so to four machines that share a PostgreSQL database, to that,
// and to the network between them. `npm run faults -- readers [--minutes 10] [--seed 1]`: feeds mutated recordings to
// everything that reads them. `npm run faults -- approvals [--count 1000] [--seed 1] [--agent claude@2.1.326]`: races answers
// to dialogs of the real CLIs; REMORA_VERBOSE=1 prints every request. `npm run faults -- plan [--only 'codex 0.169.0']`: tries
// to write in plan mode, in every cell of agent, channel, user and permissions. Needs `npm run build`.
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
  [breakReaders, 'Nothing thrown, nothing else affected.'],
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
    ? (successes.get(kind) ?? 'Nothing lost, nothing twice.')
    : `${problems.length} problems. Again with: --seed ${seed}`,
)
process.exitCode = problems.length === 0 ? 0 : 1
