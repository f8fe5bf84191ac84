// `npm run faults -- ledger [--points 200] [--seed 1]`: kills what writes the ledger at random moments, and looks whether
// anything was lost or doubled. Needs `npm run build`.
import { parseArgs } from 'node:util'
import { breakLedger } from './faults/ledger.mjs'

const kinds = { ledger: breakLedger }
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { points: { type: 'string', default: '200' }, seed: { type: 'string' } },
})
const kind = kinds[positionals[0]]
const points = Number(values.points)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9))
if (!kind || !Number.isInteger(points) || points < 1 || !Number.isInteger(seed)) {
  console.error(`Usage: npm run faults -- ${Object.keys(kinds).join('|')} [--points 200] [--seed 1]`)
  process.exit(2)
}
console.log(`${points} faults, seed ${seed}`)
const problems = await kind({ points, seed })
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0
    ? 'Nothing lost, nothing twice.'
    : `${problems.length} problems. Again with: --seed ${seed}`,
)
process.exitCode = problems.length === 0 ? 0 : 1
