import { constants } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitOptions, gitText } from '../git/git.ts'
import type { ChangedFile } from './parse-diff.ts'

const maxBytes = 1024 * 1024

/** Lists files that are neither tracked nor ignored. @example await listUntracked(root, { cwd: root }) */
export async function listUntracked(
  root: string,
  options: GitOptions,
  paths: readonly string[] = [],
): Promise<string[]> {
  const args = ['ls-files', '--others', '--exclude-standard', '-z', ...paths]
  const output = await gitText(args, { ...options, cwd: root })
  return output.split('\0').filter((path) => path !== '')
}

/** Reads an untracked file as one hunk that adds all of it. @example await readUntracked(root, 'note.txt') */
export async function readUntracked(
  root: string,
  path: string,
): Promise<ChangedFile & { readonly hunks?: string }> {
  const file: ChangedFile = { path, status: 'untracked' }
  const full = join(root, path)
  try {
    const found = await lstat(full)
    if (found.isSymbolicLink()) return toAddedHunk(file, await readlink(full), false)
    if (!found.isFile()) return file
    if (found.size > maxBytes) return { ...file, binary: true }
    // The file may have been replaced: links are not followed, and pipes do not block.
    const handle = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      if (!(await handle.stat()).isFile()) return file
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
      const bytes = buffer.subarray(0, bytesRead)
      if (bytes.subarray(0, 8_000).includes(0)) return { ...file, binary: true }
      const text = bytes.toString()
      return text === ''
        ? { ...file, additions: 0, deletions: 0 }
        : toAddedHunk(file, text.replace(/\n$/, ''), text.endsWith('\n'))
    } finally {
      await handle.close()
    }
  } catch {
    // The file was removed, or is not readable.
    return file
  }
}

function toAddedHunk(
  file: ChangedFile,
  text: string,
  hasFinalNewline: boolean,
): ChangedFile & { readonly hunks: string } {
  const lines = text.split('\n')
  const body = lines.map((line) => `+${line}`).join('\n')
  const end = hasFinalNewline ? '' : '\n\\ No newline at end of file'
  return {
    ...file,
    additions: lines.length,
    deletions: 0,
    hunks: `@@ -0,0 +1,${lines.length} @@\n${body}${end}`,
  }
}
