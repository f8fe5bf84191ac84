import { createHash } from 'node:crypto'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { toSlashes } from '../files/paths.ts'

/** The hash over all files of a folder, and their number and size. */
export interface FolderHash {
  /** @example 'sha256-…' with 64 hexadecimal digits */
  readonly integrity: string
  readonly files: number
  readonly bytes: number
}

// A definition of an agent is small. Its hash is computed at each start, so its size is limited.
const maxFiles = 2000
const maxBytes = 20 * 1024 * 1024

/**
 * Hashes the names and contents of all files below a folder. Throws for a link, which could lead to files that change.
 *
 * @example (await hashFolder('/home/me/.remora/plugins/mine/0a1b')).integrity
 */
export async function hashFolder(folder: string): Promise<FolderHash> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths: string[] = []
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) paths.push(path)
    else if (!entry.isDirectory())
      throw new RemoraError('config', `${path} is neither a file nor a folder`, {
        hint: 'Publish the package without links.',
      })
  }
  const refuse = (size: string): never => {
    throw new RemoraError('config', `The package has ${size}`, {
      hint: 'A plugin describes an agent and does not contain it. Remove large dependencies.',
    })
  }
  if (paths.length > maxFiles) refuse(`more than ${maxFiles} files`)
  const named = paths.map((path) => ({ path, name: toSlashes(relative(folder, path)) }))
  const hash = createHash('sha256')
  let bytes = 0
  for (const { path, name } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    bytes += (await stat(path)).size
    if (bytes > maxBytes) refuse(`more than ${maxBytes / 1024 / 1024} MB`)
    const content = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    hash.update(`${JSON.stringify(name)} ${content}\n`)
  }
  return { integrity: `sha256-${hash.digest('hex')}`, files: paths.length, bytes }
}
