import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBundled } from '../../packages/cli/bin/entry.mjs'
import { readJson, root } from './paths.mjs'
import { progress } from './progress.mjs'

const folder = join(root, 'packages', 'cli', 'program')
const compiled = (name) => join(root, 'packages', ...name.split('/'))

/** The programs that are started separately. Their shared code is in files beside them. */
const entries = {
  bin: compiled('cli/dist/bin.js'),
  host: compiled('server/dist/host.js'),
  'gemini-with-model': compiled('cli/dist/run/demo/gemini-with-model.js'),
}
/** It is copied to where an agent runs it, so it must be one file; and it is one. */
const alone = { 'hook.js': compiled('insights/dist/pave/hook.js') }
/** It looks for native code, so the package depends on it. */
const external = ['pg']

/**
 * Makes the `remora` command of what was compiled, as few files instead of a thousand: to find, open and read them takes
 * two thirds of its start. What was bundled already is left as it is.
 */
export async function bundleProgram() {
  if (isBundled()) return false
  await progress('bundling the command', bundle)
  return true
}

async function bundle() {
  // Not at the top: these scripts are there before anything is installed.
  const { rolldown } = await import('rolldown')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, file] of Object.entries(alone)) copyFileSync(file, join(folder, name))
  const build = await rolldown({
    input: entries,
    platform: 'node',
    external,
    // The other form of jsonc-parser finds its own files by names that only Node can follow.
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'warn',
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // All in one folder: what looks for files beside itself finds them.
    chunkFileNames: '[name]-[hash].js',
  })
  await build.close()
  writeFileSync(join(folder, 'LICENSES.txt'), licences(output.flatMap((chunk) => chunk.moduleIds ?? [])))
}

/** The licences of the bundled packages. */
function licences(files) {
  const places = files.flatMap(
    (file) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? [],
  )
  return [...new Set(places)]
    .toSorted((a, b) => a.localeCompare(b))
    .map((place) => {
      const { name, version, license } = readJson(join(place, 'package.json'))
      const file = readdirSync(place).find((each) => /^licen[cs]e/i.test(each))
      const text = file ? readFileSync(join(place, file), 'utf8').trim() : ''
      return `${name} ${version} (${license})\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
