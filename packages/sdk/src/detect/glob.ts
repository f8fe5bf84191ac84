import { readdir } from 'node:fs/promises'
import { compareVersions, findVersion } from '../versions/version.ts'
import { getPathModule } from './paths.ts'

/**
 * Expands `*` in the parts of a path, newer versions first. A path without `*` is returned unchecked.
 *
 * @example await expandGlob('/home/me/.nvm/versions/node/v2*', 'linux')
 */
export async function expandGlob(pattern: string, platform: NodeJS.Platform): Promise<string[]> {
  const paths = getPathModule(platform)
  const parts = pattern.split(platform === 'win32' ? /[/\\]/ : '/')
  const at = parts.findIndex((part) => part.includes('*'))
  if (at === -1) return [pattern]
  const base = parts.slice(0, at).join(paths.sep) || paths.sep
  const names = (await listEntries(base)).filter((name) => matches(name, parts[at] ?? ''))
  names.sort(newestFirst)
  const deeper = await Promise.all(
    names.map((name) => expandGlob(paths.join(base, name, ...parts.slice(at + 1)), platform)),
  )
  return deeper.flat()
}

async function listEntries(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch {
    return [] // Missing, not a folder, or unreadable.
  }
}

function matches(name: string, pattern: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${source.join('.*')}$`).test(name)
}

// Aliases such as `latest` or `lts` point at one of the versions, so they come after them.
function newestFirst(left: string, right: string): number {
  const a = findVersion(left)
  const b = findVersion(right)
  if (a && b) return compareVersions(b, a)
  if (a || b) return a ? -1 : 1
  return left < right ? -1 : 1
}
