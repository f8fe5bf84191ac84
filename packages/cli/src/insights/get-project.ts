import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * The project that a folder belongs to: the repository for a folder in one of its git worktrees, else the folder
 * itself.
 *
 * @example getProject('/home/me/worktrees/app/fix-login') // '/home/me/app'
 */
export function getProject(folder: string): string {
  for (let each = folder; ; each = dirname(each)) {
    const link = readLink(join(each, '.git'))
    if (link === 'repository') return folder
    if (link !== undefined) return link
    if (dirname(each) === each) return folder
  }
}

/** A worktree has a file `.git` that names `<repository>/.git/worktrees/<name>`. */
function readLink(file: string): string | undefined {
  try {
    const [, git] = /^gitdir: (.+)[/\\]worktrees[/\\][^/\\]+\s*$/.exec(readFileSync(file, 'utf8')) ?? []
    // A submodule has such a file, too.
    if (git === undefined) return 'repository'
    return basename(git) === '.git' ? dirname(git) : git
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EISDIR' ? 'repository' : undefined
  }
}
