import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol'
import { compareVersions } from '@remora/sdk'

/** The Node that runs these tests, or the oldest pinned one for a program that needs a newer one. @example findNodeFor('22.0.0') */
export function findNodeFor(minimum = '0'): string {
  return compareVersions(process.versions.node, minimum) >= 0 ? process.execPath : findNode(minimum)
}

/** The oldest pinned Node of at least this version. @example findNode('22.0.0') */
export function findNode(minimum: string): string {
  const folder = join(import.meta.dirname, '..', 'nodes', 'node_modules')
  const suffix = `-${process.platform}-${process.arch}`
  const [found] = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.startsWith('node-') && name.endsWith(suffix))
    .map((name) => ({ version: name.slice('node-'.length, -suffix.length), name }))
    .filter(({ version }) => compareVersions(version, minimum) >= 0)
    .toSorted((a, b) => compareVersions(a.version, b.version))
  if (!found)
    throw new RemoraError('not_found', `Node ${minimum} is not installed`, {
      hint: 'npm ci --prefix testkit/nodes',
    })
  return join(folder, found.name, 'bin', 'node')
}
