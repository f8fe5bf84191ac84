// `npm run faults -- ledger [--points 200] [--seed 1]`: kills what writes the ledger at random moments, and looks whether
// anything was lost or doubled. `npm run faults -- hooks [--hooks 2000] [--at-once 50] [--seed 1]`: does so to what drains
// the spool, while hooks run. `npm run faults -- live [--points 300] [--seed 1]`: does so to the server and to all that it
// talks to, under load; `--live 20` sets the number of terminals and `--only 'killed servers'` draws one kind of fault.
// `npm run faults -- nodes [--points 200] [--seed 1]`: does so to four machines that share a PostgreSQL database, to that,
// and to the network between them. `npm run faults -- readers [--minutes 10] [--seed 1]`: feeds mutated recordings to
// everything that reads them. `npm run faults -- plan [--only 'codex 0.169.0']`: tries to write in plan mode, in every cell
// of agent, channel, user and permissions. Needs `npm run build`.
import { parseArgs } from 'node:util'
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
  plan: breakPlan,
}
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
const counts = [points, hooks, atOnce, terminals]
const valid = counts.every((count) => Number.isInteger(count) && count >= 1) && minutes > 0
if (!kind || !valid || !Number.isInteger(seed)) {
  console.error(
    'Usage: npm run faults -- ledger [--points 200] [--seed 1] | hooks [--hooks 2000] [--at-once 50] [--seed 1] | live [--points 300] [--seed 1] [--live 3] [--only "killed servers"] | nodes [--points 200] [--seed 1] | readers [--minutes 10] [--seed 1] | plan [--only "codex 0.169.0"]',
  )
  process.exit(2)
}
if (kind !== breakPlan)
  console.log(`${kind === breakHooks || kind === breakReaders ? '' : `${points} faults, `}seed ${seed}`)
const problems = await kind({ points, hooks, atOnce, minutes, seed, terminals, only: values.only })
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0
    ? success(kind)
    : `${problems.length} problems.${kind === breakPlan ? '' : ` Again with: --seed ${seed}`}`,
)
process.exitCode = problems.length === 0 ? 0 : 1

function success(of) {
  if (of === breakPlan) return 'Nothing changed in plan mode.'
  return of === breakReaders ? 'Nothing thrown, nothing else affected.' : 'Nothing lost, nothing twice.'
}
