// `npm run fixtures`: records the output of the real CLIs; with `-- --check`, reports how it has changed. See docs/fixtures.md.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './lib/paths.mjs'
import { prepareTests } from './lib/prepare.mjs'
import { printFailure } from './lib/setup-error.mjs'

const needed = ['node_modules/tsx', 'testkit/clis/node_modules'].map((folder) => join(root, folder))
if (!needed.every(existsSync)) {
  await prepareTests().catch((error) => {
    printFailure(error)
    process.exit(1)
  })
}

const recorder = join(root, 'testkit', 'src', 'recorder', 'main.ts')
const loader = createRequire(import.meta.url).resolve('tsx')
const child = spawn(process.execPath, ['--import', loader, recorder, ...process.argv.slice(2)], {
  stdio: 'inherit',
  // Its paths lead to the sources, so that nothing has to be built first.
  env: { ...process.env, TSX_TSCONFIG_PATH: join(root, 'testkit', 'tsconfig.json') },
})
// Ctrl+C reaches both; the recorder cleans up, and this process reports how it ended.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
