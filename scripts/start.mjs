// `npm start`: installs and builds what is missing, reports what it found, then runs the server until Ctrl+C.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
  await runNode(command, ['doctor', '--brief'])
  console.log()
  process.exitCode = await serve(command, process.argv.slice(2))
} catch (error) {
  printFailure(error)
  process.exitCode = 1
}

/** The server stops on this signal. The agents continue without it. */
async function serve(command, args) {
  const child = spawn(process.execPath, [command, 'serve', ...args], { stdio: 'inherit' })
  // Ctrl+C reaches the server too; a plain kill of this process does not.
  process.on('SIGINT', () => {})
  for (const name of ['SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name))
  const [code] = await once(child, 'exit')
  return code ?? 1
}
