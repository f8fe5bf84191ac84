import { readdirSync, readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files that scripts keep between runs: logs, stamps, the lock. Ignored by git. */
export const cache = join(root, '.cache')

/** The folder of the phone app, which is also a package. */
export const web = join(root, 'apps', 'web')

/** The packages below packages/, with their manifests. */
export function packages() {
  return manifests(readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name)))
}

/** The packages that can be published, including the app. */
export function published() {
  return [...packages(), ...manifests([web])].filter(({ manifest }) => !manifest.private)
}

function manifests(folders) {
  return folders
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readJson(join(folder, 'package.json')) }))
}

/** The JavaScript file of an installed package's command, which runs without a shell or PATH. */
export function bin(name, command = name) {
  const folder = join(root, 'node_modules', name)
  const entry = readJson(join(folder, 'package.json')).bin
  return join(folder, typeof entry === 'string' ? entry : entry[command])
}

export function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
