// `npm run test:nodes [-- 22 24]`: on each version of Node, `npm start` in a clean copy with an empty home until the server
// answers, then the unit tests there. Prints seconds, installed size and the install scripts that ran. Takes many minutes.
import { checkNodeVersion } from './lib/node-version.mjs'
import { listNodes } from './lib/nodes.mjs'
import { prepareNodes } from './lib/prepare.mjs'
import { printFailure } from './lib/setup-error.mjs'
import { Tally } from './lib/tally.mjs'
import { measureStart, runUnitTests } from './lib/try-node.mjs'
import { withTemporaryFolder } from './lib/temporary.mjs'

checkNodeVersion()
const tally = new Tally()
const lines = []
try {
  await prepareNodes()
  for (const node of selectNodes(process.argv.slice(2)))
    await withTemporaryFolder((folder) => tally.part(`Node ${node.version}`, () => tryNode(node, folder)))
} catch (error) {
  printFailure(error)
  tally.add({ passed: 0, failed: 1 })
}
console.log(`\n${lines.join('\n')}\n\n${tally.line()}`)
process.exitCode = tally.failed === 0 ? 0 : 1

/** The versions that start with an argument, or the newest of each major version. */
function selectNodes(wanted) {
  const nodes = listNodes()
  if (wanted.length > 0)
    return nodes.filter(({ version }) => wanted.some((start) => `${version}.`.startsWith(`${start}.`)))
  return [...new Map(nodes.map((node) => [node.version.split('.')[0], node])).values()]
}

async function tryNode(node, folder) {
  const started = await tally.check('npm start', async () => {
    const { seconds, megabytes, scripts } = await measureStart(node, folder)
    const ran = scripts.length === 0 ? 'none' : scripts.join(', ')
    lines.push(
      `Node ${node.version}: npm start answered after ${seconds.toFixed(0)} s, ${megabytes.toFixed(0)} MB installed, install scripts: ${ran}`,
    )
  })
  if (started) await tally.check('unit tests', () => runUnitTests(node, folder))
}
