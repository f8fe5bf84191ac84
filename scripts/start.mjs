// `npm start`: installs and builds what is missing, then starts Remora's main job.
import { join } from 'node:path'
import { checkNodeVersion } from './lib/node-version.mjs'
import { runNode } from './lib/children.mjs'
import { root } from './lib/paths.mjs'
import { prepareProduct } from './lib/prepare.mjs'
import { printFailure } from './lib/setup-error.mjs'

checkNodeVersion()

try {
  await prepareProduct()
  const command = join(root, 'packages', 'cli', 'bin', 'remora.mjs')
  const code = await runNode(command, ['doctor', ...process.argv.slice(2)])
  // Doctor's 3 means that an agent is missing: a finding, not a failure of the start.
  process.exitCode = code === 3 ? 0 : code
} catch (error) {
  printFailure(error)
  process.exitCode = 1
}
