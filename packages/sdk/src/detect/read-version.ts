import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Detection, Place } from '../contract/agent.ts'
import { findVersion } from '../versions/version.ts'
import { askVersion } from './ask-version.ts'
import { ownPackageVersion, readPackageVersion } from './package-file.ts'
import { packageFolders } from './shims.ts'

/** An executable's version: from its package file, else from its path, else from the CLI itself. */
export async function readVersion(
  path: string,
  detection: Detection,
  env: Place['env'],
): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path)
  const own = await ownPackageVersion(dirname(target), detection)
  if (own !== undefined) return own
  if (detection.package !== undefined) {
    for (const folder of await packageFolders(path, target, detection.package)) {
      const version = await readPackageVersion(folder, detection)
      if (version !== undefined) return version
    }
  }
  return versionInPath(target) ?? (await askVersion(path, env))
}

/**
 * The version that a path tells: Claude's installer keeps `…/versions/2.1.197`, Homebrew
 * `…/Cellar/codex/0.166.0/…`, mise `…/installs/codex/0.166.0/…`.
 */
export function versionInPath(path: string): string | undefined {
  const parts = path.split(/[/\\]/)
  for (const [index, part] of parts.entries()) {
    const after = part === 'versions' ? parts[index + 1] : undefined
    const second = part === 'Cellar' || part === 'Caskroom' || part === 'installs' ? index + 2 : -1
    // Node's own version says nothing about what is installed with it.
    const text = after ?? (parts[second - 1] === 'node' ? undefined : parts[second])
    if (text !== undefined && /^v?\d+\.\d+\.\d+/.test(text)) return findVersion(text)
  }
  return undefined
}
