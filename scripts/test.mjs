// `npm test`: prepares what the tests need, runs every check and test, and ends with one line `N passed, N failed`.
import { buildWeb } from './lib/build.mjs'
import { printBudget, timeByPart } from './lib/budget.mjs'
import { checkNodeVersion } from './lib/node-version.mjs'
import { checkPackages } from './lib/package-checks.mjs'
import { prepareTests } from './lib/prepare.mjs'
import { bundleProgram } from './lib/program.mjs'
import { printFailure } from './lib/setup-error.mjs'
import { checkBenches, checkFaults, checkFormat, checkLint, checkTypes } from './lib/static-checks.mjs'
import { onStop } from './lib/stop.mjs'
import { Tally } from './lib/tally.mjs'
import { together } from './lib/together.mjs'
import { loopbackOnly, runTests } from './lib/vitest.mjs'

/** The folders whose tests cover the protocol and the agents, which have thresholds in `vitest.config.ts`. */
const covered = [
  'packages/protocol/',
  'packages/sdk/src/agents/',
  'packages/sdk/src/channels/hooks/',
  'packages/sdk/src/dialects/',
  'packages/sdk/src/events/',
]

checkNodeVersion()
const tally = new Tally()
onStop(() => {
  tally.add({ passed: 0, failed: 1 })
  console.log(`\nStopped before the end.\n${tally.line()}`)
})

const prepared = await tally.part('prepare', () =>
  tally.check('everything the tests need is there', prepareTests),
)
if (prepared) await testAll().then(printBudget, countFailure)
console.log(`\n${tally.line()}`)
process.exitCode = tally.failed === 0 ? 0 : 1

/** Every step runs even if one before it failed, so that one run shows everything. */
async function testAll() {
  let typesFit = false
  await tally.part('static', async () => {
    // First the types: the linter reads those of the other packages from what this builds, and the app is built on it.
    const types = tally.check('types', checkTypes)
    await together([tally.check('format', checkFormat), types])
    typesFit = await types
    if (typesFit) await tally.check('the command is bundled', bundleProgram)
    await together([tally.check('the phone app is built', buildWeb), tally.check('lint', checkLint)])
  })
  await tally.part('unit and contract', () => together([testCovered(), testOthers()]))
  // None of these minds what the others do, and each waits now and then.
  await tally.part('packages, benches, faults and other versions of Node', () =>
    together([
      checkPackages(tally),
      tally.check('the benches run', checkBenches),
      tally.check('a ledger whose writers are killed loses nothing', checkFaults),
      tally.check('the command installs and the ledger works on Node 22, 24 and 26', async () => {
        // Not at the top: it uses the built packages.
        const { checkNodes } = await import('./lib/check-nodes.mjs')
        await checkNodes()
      }),
    ]),
  )
  const real = await tally.part('real CLIs, loopback only', () => testReal(typesFit))
  const quick = ['static', 'unit and contract'].map((part) => tally.spent.get(part) ?? 0)
  return { 'static and unit': quick.reduce((sum, part) => sum + part), ...timeByPart(real.files) }
}

/** The unit tests of what has a coverage threshold. To collect the coverage of all the others takes a minute of two cores. */
async function testCovered() {
  tally.add(await runTests(['unit'], { args: ['--coverage', '--maxWorkers=3', ...covered] }))
}

async function testOthers() {
  const env = { REMORA_TESTED_ELSEWHERE: covered.join() }
  tally.add(await runTests(['unit'], { args: ['--maxWorkers=6'], env }))
}

async function testReal(typesFit) {
  if (!typesFit) {
    console.log('Not run: they drive the built packages, and the types do not fit.')
    tally.add({ passed: 0, failed: 1 })
    return { files: [] }
  }
  const result = await runTests(['real', 'web'], { guard: loopbackOnly })
  tally.add(result)
  return result
}

/** A step that could not even be run must not cost us the last line. */
function countFailure(error) {
  printFailure(error)
  tally.add({ passed: 0, failed: 1 })
}
