/** The project of a session. */
export interface Project {
  /** Equal for all its sessions. */
  readonly id: string
  readonly name: string
  /** Undefined without a folder. */
  readonly path: string | undefined
  /** The branch of the session's worktree. */
  readonly worktree?: string
}

// The server's worktree folders: repository name with a hash, then branch.
const worktree =
  /^(?<base>.*[/\\](?:[^/\\]*-)?worktrees[/\\](?<name>[^/\\]+)-[0-9a-f]{6})[/\\](?<branch>[^/\\]+)/

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

export function getFolderName(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path
}

/** A short parent path. @example shortPath('/home/me/code/x') // '~/code' */
export function shortPath(path: string): string {
  const above = path.replace(/[/\\][^/\\]*$/, '')
  return above.replace(/^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/|$)/, '~')
}
