import { gitText } from './git.ts'
import { findRepository } from './repository.ts'

export interface GitSurroundings {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
}

/**
 * The commit at which a folder stands, for whoever wants to know later what changed since. Undefined outside git, and
 * before the first commit.
 *
 * @example const commit = await gitStart(cwd)
 */
export async function gitStart(cwd: string, surroundings: GitSurroundings = {}): Promise<string | undefined> {
  // A session starts also where git is missing or does not trust the folder.
  const repository = await findRepository(cwd, surroundings).catch(() => undefined)
  return repository?.head
}

/** Every path that `git status` names, from the uppermost folder on. @example await changedPaths(root) */
export async function changedPaths(root: string, surroundings: GitSurroundings = {}): Promise<string[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all']
  const said = await gitText([...args, '--ignore-submodules=dirty'], { ...surroundings, cwd: root })
  return said
    .split('\0')
    .filter((entry) => entry.length > 3)
    .map((entry) => entry.slice(3))
}
