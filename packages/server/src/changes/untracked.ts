import { constants } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitOptions, gitText } from '../git/git.ts'
import type { ChangedFile } from './parse-diff.ts'

const largest = 1024 * 1024

/** Files that git does not know and does not ignore. @example await untrackedPaths(root, { cwd: root }) */
export async function untrackedPaths(
  root: string,
  options: GitOptions,
  paths: readonly string[] = [],
): Promise<string[]> {
  const args = ['ls-files', '--others', '--exclude-standard', '-z', ...paths]
  const said = await gitText(args, { ...options, cwd: root })
  // The last one may be cut where there are very many.
  return said.split('\0').filter((path) => path !== '')
}

/** A file that git does not know, as one hunk that adds all of it. @example await readUntracked(root, 'note.txt') */
export async function readUntracked(
  root: string,
  path: string,
): Promise<ChangedFile & { readonly hunks?: string }> {
  const file: ChangedFile = { path, status: 'untracked' }
  const full = join(root, path)
  try {
    const found = await lstat(full)
    if (found.isSymbolicLink()) return added(file, await readlink(full), false)
    if (!found.isFile()) return file
    if (found.size > largest) return { ...file, binary: true }
    // Another file may stand there by now: a link is not followed, and a pipe is not waited for.
    const handle = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      if (!(await handle.stat()).isFile()) return file
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(largest), 0, largest, 0)
      const bytes = buffer.subarray(0, bytesRead)
      if (bytes.subarray(0, 8_000).includes(0)) return { ...file, binary: true }
      const text = bytes.toString()
      return text === ''
        ? { ...file, additions: 0, deletions: 0 }
        : added(file, text.replace(/\n$/, ''), text.endsWith('\n'))
    } finally {
      await handle.close()
    }
  } catch {
    // It went away meanwhile, or is not ours to read.
    return file
  }
}

function added(file: ChangedFile, text: string, ended: boolean): ChangedFile & { readonly hunks: string } {
  const lines = text.split('\n')
  const body = lines.map((line) => `+${line}`).join('\n')
  const end = ended ? '' : '\n\\ No newline at end of file'
  return {
    ...file,
    additions: lines.length,
    deletions: 0,
    hunks: `@@ -0,0 +1,${lines.length} @@\n${body}${end}`,
  }
}
