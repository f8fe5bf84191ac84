import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { AgentRecord } from '../events/read-record.ts'
import { asRecord, asString } from '../events/fields.ts'
import { isWithin } from '../files/paths.ts'

/**
 * The path of the module that a package exports.
 *
 * @example resolveEntry('/home/me/mine', { exports: './index.js' }) // '/home/me/mine/index.js'
 */
export function resolveEntry(folder: string, manifest: AgentRecord): string {
  const { exports } = manifest
  const root = asRecord(exports)?.['.'] ?? exports
  const target = findTarget(root) ?? asString(manifest['main']) ?? 'index.js'
  const path = join(folder, target)
  if (isWithin(folder, path)) return path
  throw new RemoraError('config', `${asString(manifest['name'])} exports a file outside its folder`)
}

/** The first path of the conditions that apply to an import in Node.js. */
function findTarget(target: unknown): string | undefined {
  if (typeof target === 'string') return target
  for (const [condition, value] of Object.entries(asRecord(target) ?? {})) {
    const found = ['node', 'import', 'default'].includes(condition) ? findTarget(value) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
