import { gitText } from './git.ts'
import { findRepository } from './repository.ts'

export interface GitSurroundings {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
}

/**
 * Reads the current commit of a folder, to find later changes. Undefined outside git and before the first commit.
 *
 * @example const commit = await readHeadCommit(cwd)
 */
export async function readHeadCommit(
  cwd: string,
  surroundings: GitSurroundings = {},
): Promise<string | undefined> {
  // A missing git or an untrusted folder must not prevent a session.
  const repository = await findRepository(cwd, surroundings).catch(() => undefined)
  return repository?.head
}

/** Lists the paths in `git status`, relative to the root. @example await listChangedPaths(root) */
export async function listChangedPaths(root: string, surroundings: GitSurroundings = {}): Promise<string[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all']
  const output = await gitText([...args, '--ignore-submodules=dirty'], { ...surroundings, cwd: root })
  return output
    .split('\0')
    .filter((entry) => entry.length > 3)
    .map((entry) => entry.slice(3))
}
