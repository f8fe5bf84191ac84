/** The folder that a session belongs to, as people know it. */
export interface Project {
  /** The same for all sessions of it. */
  readonly id: string
  readonly name: string
  /** Where it is; none for what has no folder. */
  readonly path: string | undefined
  /** The branch of its own in which the session works. */
  readonly worktree?: string
}

// Where the server puts worktrees: the repository's name with a hash, and the name of the branch.
const worktree =
  /^(?<base>.*[/\\](?:[^/\\]*-)?worktrees[/\\](?<name>[^/\\]+)-[0-9a-f]{6})[/\\](?<branch>[^/\\]+)/

/** @example getProject('/home/me/code/parser').name // 'parser' */
export function getProject(cwd: string | undefined): Project {
  const path = cwd?.replace(/(?<=.)[/\\]+$/, '')
  if (!path) return { id: '', name: '', path: undefined }
  const found = worktree.exec(path)?.groups
  if (found) {
    const { base, name, branch } = found as { base: string; name: string; branch: string }
    return { id: base, name, path: base, worktree: branch }
  }
  return { id: path, name: getFolderName(path), path }
}

/** The last part of a path. */
export function getFolderName(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path
}

/** A path that fits: without the home, and without what its name says already. @example shortPath('/home/me/code/x') // '~/code' */
export function shortPath(path: string): string {
  const above = path.replace(/[/\\][^/\\]*$/, '')
  return above.replace(/^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/|$)/, '~')
}
