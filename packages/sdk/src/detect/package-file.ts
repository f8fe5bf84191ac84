import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Detection } from '../agent.ts'

/** The version of the package that a folder lies in: the nearest one above that is the agent's. */
export async function ownPackageVersion(folder: string, detection: Detection): Promise<string | undefined> {
  for (let current = folder; ; current = dirname(current)) {
    const version = await versionOf(current, detection)
    if (version !== undefined || current === dirname(current)) return version
  }
}

/** The version in a folder's package.json, if that package is the agent's or brings its command. */
export async function versionOf(folder: string, detection: Detection): Promise<string | undefined> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  } catch {
    return undefined
  }
  if (typeof content !== 'object' || content === null) return undefined
  const { name, version, bin } = content as { name?: unknown; version?: unknown; bin?: unknown }
  if (typeof version !== 'string') return undefined
  const own = name === detection.package && name !== undefined
  const brings = typeof bin === 'object' && bin !== null && Object.hasOwn(bin, detection.command)
  return own || brings ? version : undefined
}
