import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { install } from './install.mjs'
import { readJson, root } from './paths.mjs'

const folder = join(root, 'testkit', 'nodes')

/** Installs the Node versions that the tests run on. */
export function installNodes() {
  return install(folder, { title: 'installing Node 20, 22, 24 and 26', name: 'nodes' })
}

/** The npm that all Node versions use. */
export const npmCli = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js')

/**
 * The pinned versions of Node for this platform, oldest first.
 * @example [{ version: '24.21.0', path: '…/bin/node' }]
 */
export function listNodes() {
  const platform = `-${process.platform}-${process.arch}`
  return Object.keys(readJson(join(folder, 'package.json')).optionalDependencies)
    .filter((name) => name.endsWith(platform))
    .map((name) => ({
      version: name.slice('node-'.length, -platform.length),
      path: join(folder, 'node_modules', name, 'bin', 'node'),
    }))
    .filter(({ path }) => existsSync(path))
    .toSorted((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }))
}
