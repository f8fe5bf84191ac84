import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runNode } from './children.mjs'
import { bin, cache, packages, root, web } from './paths.mjs'
import { bundleProgram } from './program.mjs'
import { progress } from './progress.mjs'
import { SetupError } from './setup-error.mjs'
import { quickPrint, stampFile } from './stamp.mjs'

/** Builds every package, the command and the phone app, unless nothing has changed since the last build. */
export async function build() {
  const isAnew = [await buildPackages(), await bundleProgram(), await buildWeb()]
  return isAnew.includes(true)
}

/** Builds the phone app that the server serves. */
export async function buildWeb() {
  const stamp = stampFile(join(cache, 'built-web'))
  const own = ['index.html', 'vite.config.ts', 'package.json'].map((name) => join(web, name))
  const print = quickPrint([...own, ...files(join(web, 'src')), ...files(join(web, 'public'))])
  if (stamp.fits(print) && existsSync(join(web, 'dist', 'index.html'))) return false
  const log = join(cache, 'logs', 'build-web.log')
  await progress('building the phone app', async () => {
    stamp.clear()
    const code = await runNode(bin('vite'), ['build', web, '--logLevel', 'warn'], { log })
    if (code !== 0) throw new SetupError('Building the phone app failed.', { log })
    stamp.write(print)
  })
  return true
}

async function buildPackages() {
  const projects = packages().map(({ folder }) => folder)
  const stamp = stampFile(join(cache, 'built'))
  const print = quickPrint([join(root, 'tsconfig.base.json'), ...projects.flatMap(inputs)])
  const outputs = projects.map((folder) => join(folder, 'dist', '.tsbuildinfo'))
  if (stamp.fits(print) && outputs.every((file) => existsSync(file))) return false
  const log = join(cache, 'logs', 'build.log')
  await progress('building the packages', async () => {
    stamp.clear()
    const code = await runNode(bin('typescript', 'tsc'), ['-b', ...projects], { log })
    if (code !== 0) throw new SetupError('Building the packages failed.', { log })
    stamp.write(print)
  })
  return true
}

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test(?:-data)?\./.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

function inputs(folder) {
  const sources = readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
  return [join(folder, 'package.json'), join(folder, 'tsconfig.json'), ...sources.toSorted()]
}
