// `npm run soak -- [part …] [--times 10] [--load 0] [--title text] [--results file]`: repeats a part of the tests (unit, real,
// web, or test files), optionally beside busy processes, and adds each test's failures and runs to a results file.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './lib/build.mjs'
import { checkNodeVersion } from './lib/node-version.mjs'
import { cache, root } from './lib/paths.mjs'
import { prepareTests } from './lib/prepare.mjs'
import { duration } from './lib/progress.mjs'
import { startLoad } from './lib/load.mjs'
import { SoakResults, readParts } from './lib/soak.mjs'
import { onStop } from './lib/stop.mjs'
import { loopbackOnly, runTests } from './lib/vitest.mjs'

const usage = `Usage: npm run soak -- [part …] [--times n] [--load k] [--title text] [--results file]

  part             unit, real, web, or a test file or folder; unit by default
  --times n        How often to repeat it; 10 by default
  --load k         How many busy processes to run beside it; 0 by default
  --title text     Run only tests whose title contains the text
  --results file   Where to add the results; .cache/soak.json by default`

checkNodeVersion()
const options = readOptions()
await prepareTests()
// Tests of real CLIs and of the app drive the built packages.
if (options.parts.some(([project]) => project !== 'unit')) await build()
const results = new SoakResults(options.results, options.load)
onStop(() => console.log(`\n${results.summarize()}`))
const stopLoad = startLoad(options.load)
try {
  for (let run = 1; run <= options.times; run++)
    for (const [project, files] of options.parts) {
      const log = join(cache, 'logs', `soak-${project}-${run}.log`)
      const started = performance.now()
      const title = options.title === undefined ? [] : ['-t', options.title]
      const outcome = await runTests([project], {
        args: [...files, ...title],
        log,
        ...(project === 'unit' ? {} : { guard: loopbackOnly }),
      })
      results.add(outcome)
      const seconds = duration(performance.now() - started)
      const failed = outcome.failed === 0 ? '' : `, ${outcome.failed} failed: ${log}`
      console.log(`${project} ${run}/${options.times}: ${outcome.passed} passed${failed} (${seconds})`)
    }
} finally {
  stopLoad()
}
console.log(`\n${results.summarize()}`)
process.exitCode = results.failed === 0 ? 0 : 1

function readOptions() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        times: { type: 'string', default: '10' },
        load: { type: 'string', default: '0' },
        title: { type: 'string' },
        results: { type: 'string', default: join(cache, 'soak.json') },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      console.log(usage)
      return process.exit(0)
    }
    const [times, load] = [Number(values.times), Number(values.load)]
    if (!Number.isInteger(times) || times < 1) throw new Error('--times must be 1 or more')
    if (!Number.isInteger(load) || load < 0) throw new Error('--load must be 0 or more')
    return { ...values, times, load, parts: readParts(positionals, root) }
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`)
    return process.exit(2)
  }
}
