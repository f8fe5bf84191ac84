import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isBundled } from '../../packages/cli/bin/entry.mjs'
import { readJson, root } from './paths.mjs'
import { progress } from './progress.mjs'

const folder = join(root, 'packages', 'cli', 'program')
const compiled = (name) => join(root, 'packages', ...name.split('/'))

/** The programs that are started separately. They share code in files beside them. */
const entries = {
  bin: compiled('cli/dist/bin.js'),
  host: compiled('server/dist/host.js'),
  // Not a program: what plugins import as @remora/sdk/agent.
  agent: compiled('sdk/dist/agent.js'),
  'pty-host': compiled('sdk/dist/pty-host.js'),
  'pty-screen': compiled('sdk/dist/pty-screen.js'),
  'gemini-with-model': compiled('cli/dist/run/demo/gemini-with-model.js'),
}
/** One file, because it is copied to where an agent runs it. */
const alone = { 'hook.js': compiled('insights/dist/pave/hook.js') }
/** Not bundled, because they load native code. */
const external = ['pg', '@lydell/node-pty']

/**
 * Bundles the compiled `remora` command into few files. Finding, opening and reading a thousand files takes two thirds of
 * its start. Does nothing if the bundle is current.
 */
export async function bundleProgram() {
  if (isBundled()) return false
  await progress('bundling the command', bundle)
  return true
}

async function bundle() {
  // Imported here, because this file is also loaded before packages are installed.
  const { rolldown } = await import('rolldown')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, file] of Object.entries(alone)) copyFileSync(file, join(folder, name))
  const build = await rolldown({
    input: entries,
    platform: 'node',
    external,
    // The UMD build of jsonc-parser requires its files in a way that the bundler cannot follow.
    plugins: [await inlineProfiles()],
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'warn',
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // One folder, because some modules read files beside themselves.
    chunkFileNames: '[name]-[hash].js',
  })
  await build.close()
  writeFileSync(join(folder, 'LICENSES.txt'), licences(output.flatMap((chunk) => chunk.moduleIds ?? [])))
}

/** Replaces the list of agents by its data, because help and completion must not load the agents. */
async function inlineProfiles() {
  const file = compiled('sdk/dist/profiles.js')
  const { profiles } = await import(pathToFileURL(file))
  return {
    name: 'inline-profiles',
    load: (id) =>
      id === file
        ? `export { getMemoryFile, getShortName } from './contract/profile.js'
export const profiles = ${JSON.stringify(profiles)}`
        : undefined,
  }
}

/** Writes the licenses of the bundled packages. */
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
