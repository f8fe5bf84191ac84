import type { Dirent } from 'node:fs'
import { lstat, opendir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Opened, isAllowed } from './open-below.ts'
import type { Roots } from './roots.ts'

export interface FolderEntry {
  readonly name: string
  /** The kind of a link is the kind of its target, which must be allowed too. */
  readonly kind: 'folder' | 'file' | 'other'
  readonly link?: true
  readonly size?: number
  readonly modifiedAt?: number
}

const maxEntries = 2_000
const maxRead = 20_000

/** Lists a folder, folders first, without files that may contain secrets. */
export async function listFolder(
  roots: Roots,
  { handlePath, path }: Opened,
): Promise<{ entries: FolderEntry[]; more: number }> {
  const found: Dirent[] = []
  let count = 0
  for await (const entry of await opendir(handlePath)) {
    if (++count > maxRead) break
    const isCandidate = entry.isSymbolicLink() || isAllowed(roots, join(path, entry.name))
    if (isCandidate) found.push(entry)
  }
  found.sort((left, right) => getRank(left) - getRank(right) || (left.name < right.name ? -1 : 1))
  const entries: FolderEntry[] = []
  for (const entry of found.slice(0, maxEntries)) {
    const folderEntry = await readEntry(roots, handlePath, path, entry)
    if (folderEntry) entries.push(folderEntry)
  }
  return { entries, more: Math.max(0, found.length - maxEntries) + Math.max(0, count - maxRead) }
}

async function readEntry(
  roots: Roots,
  handlePath: string,
  path: string,
  entry: Dirent,
): Promise<FolderEntry | undefined> {
  const { name } = entry
  try {
    if (entry.isSymbolicLink()) {
      const target = await realpath(join(path, name)).catch(() => undefined)
      if (target === undefined || !isAllowed(roots, target)) return undefined
      const stats = await stat(target)
      return { name, link: true, kind: stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other' }
    }
    const stats = await lstat(join(handlePath, name))
    const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other'
    const size = kind === 'file' ? { size: stats.size } : {}
    return { name, kind, ...size, modifiedAt: Math.round(stats.mtimeMs) }
  } catch {
    // The entry was removed in the meantime.
    return undefined
  }
}

function getRank(entry: Dirent): number {
  return entry.isDirectory() ? 0 : 1
}
