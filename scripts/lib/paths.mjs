import { readdirSync, readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** What the scripts keep between runs: logs, stamps, the lock. Ignored by git. */
export const cache = join(root, '.cache')

/** The folder of the phone app, which is a package too. */
export const web = join(root, 'apps', 'web')

/** The folders below packages/ that hold a package, with their manifests. */
export function packages() {
  return manifests(readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name)))
}

/** All that can be published: those, and the app. */
export function published() {
  return [...packages(), ...manifests([web])].filter(({ manifest }) => !manifest.private)
}

function manifests(folders) {
  return folders
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readJson(join(folder, 'package.json')) }))
}

/** The JavaScript behind a command of an installed package, so that no shell and no PATH is needed to run it. */
export function bin(name, command = name) {
  const folder = join(root, 'node_modules', name)
  const entry = readJson(join(folder, 'package.json')).bin
  return join(folder, typeof entry === 'string' ? entry : entry[command])
}

export function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
