import type { Dirent } from 'node:fs'
import { lstat, opendir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Opened, mayBeSeen } from './open-below.ts'
import type { Roots } from './roots.ts'

export interface FolderEntry {
  readonly name: string
  /** Where a link leads is told only if one may go there. */
  readonly kind: 'folder' | 'file' | 'other'
  readonly link?: true
  readonly size?: number
  readonly modifiedAt?: number
}

const most = 2_000
const looked = 20_000

/** What is in a folder, folders first. Files that may hold keys are not there. */
export async function listFolder(
  roots: Roots,
  { held, path }: Opened,
): Promise<{ entries: FolderEntry[]; more: number }> {
  const found: Dirent[] = []
  let count = 0
  for await (const entry of await opendir(held)) {
    if (++count > looked) break
    const linkOrSeen = entry.isSymbolicLink() || mayBeSeen(roots, join(path, entry.name))
    if (linkOrSeen) found.push(entry)
  }
  found.sort((left, right) => rank(left) - rank(right) || (left.name < right.name ? -1 : 1))
  const entries: FolderEntry[] = []
  for (const entry of found.slice(0, most)) {
    const read = await readEntry(roots, held, path, entry)
    if (read) entries.push(read)
  }
  return { entries, more: Math.max(0, found.length - most) + Math.max(0, count - looked) }
}

async function readEntry(
  roots: Roots,
  held: string,
  path: string,
  entry: Dirent,
): Promise<FolderEntry | undefined> {
  const { name } = entry
  try {
    if (entry.isSymbolicLink()) {
      const target = await realpath(join(path, name)).catch(() => undefined)
      if (target === undefined || !mayBeSeen(roots, target)) return undefined
      const stats = await stat(target)
      return { name, link: true, kind: stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other' }
    }
    const stats = await lstat(join(held, name))
    const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other'
    const size = kind === 'file' ? { size: stats.size } : {}
    return { name, kind, ...size, modifiedAt: Math.round(stats.mtimeMs) }
  } catch {
    // It went away meanwhile.
    return undefined
  }
}

function rank(entry: Dirent): number {
  return entry.isDirectory() ? 0 : 1
}
