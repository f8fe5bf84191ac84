import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Detection } from '../contract/agent.ts'

/** The version of the package that a folder lies in: the nearest one above that is the agent's. */
export async function ownPackageVersion(folder: string, detection: Detection): Promise<string | undefined> {
  for (let current = folder; ; current = dirname(current)) {
    const version = await readPackageVersion(current, detection)
    if (version !== undefined || current === dirname(current)) return version
  }
}

/** The version in a folder's package.json, if that package is the agent's or brings its command. */
export async function readPackageVersion(folder: string, detection: Detection): Promise<string | undefined> {
  const found = await readPackage(folder)
  if (!found) return undefined
  const own = found.name === detection.package && found.name !== undefined
  const brings =
    typeof found.bin === 'object' && found.bin !== null && Object.hasOwn(found.bin, detection.command)
  return own || brings ? found.version : undefined
}

/** The package.json of a folder, if it names a version. */
export async function readPackage(
  folder: string,
): Promise<{ name: string | undefined; version: string; bin: unknown } | undefined> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  } catch {
    return undefined
  }
  if (typeof content !== 'object' || content === null) return undefined
  const { name, version, bin } = content as { name?: unknown; version?: unknown; bin?: unknown }
  if (typeof version !== 'string') return undefined
  return { name: typeof name === 'string' ? name : undefined, version, bin }
}
