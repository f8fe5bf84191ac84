// `npm run check`: the inner loop. Format, types, lint and unit tests: one to three minutes on two cores.
import { checkNodeVersion } from './lib/node-version.mjs'
import { prepareTools } from './lib/prepare.mjs'
import { checkFormat, checkLint, checkTypes } from './lib/static-checks.mjs'
import { Tally } from './lib/tally.mjs'
import { runTests } from './lib/vitest.mjs'

checkNodeVersion()
const tally = new Tally()
if (await tally.check('the npm packages are there', prepareTools)) {
  await tally.check('format', checkFormat)
  await tally.check('types', checkTypes)
  await tally.check('lint', checkLint)
  tally.add(await runTests(['unit']))
}
console.log(`\n${tally.line()}`)
process.exitCode = tally.failed === 0 ? 0 : 1
