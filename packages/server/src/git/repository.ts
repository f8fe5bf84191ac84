import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { type GitOptions, createGitError, git, gitText, tryGit } from './git.ts'

/** The repository of a folder. */
export interface Repository {
  /** The real path of the root folder. */
  readonly root: string
  /** The folder relative to the root; empty for the root itself. */
  readonly folder: string
  /** The commit of HEAD; absent before the first commit. */
  readonly head?: string
  readonly branch?: string
}

/** Finds the repository of a folder; undefined outside git. @example const repository = await findRepository(cwd) */
export async function findRepository(
  cwd: string,
  options: Omit<GitOptions, 'cwd'> = {},
): Promise<Repository | undefined> {
  const real = await realpath(cwd).catch(() => undefined)
  if (real === undefined) return undefined
  const within = { ...options, cwd: real }
  const args = ['rev-parse', '--show-toplevel']
  const { code, stdout, stderr } = await git(args, within)
  if (code !== 0) {
    if (/dubious ownership/.test(stderr)) throw createGitError(args, stderr)
    return undefined
  }
  const root = await realpath(stdout.toString().replace(/\n$/, ''))
  // The configuration may point to a work tree elsewhere, which must not be read.
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined
  const [head, branch] = await Promise.all([
    tryGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], within),
    tryGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], within),
  ])
  return {
    root,
    folder: relative(root, real).split(sep).join('/'),
    ...(head ? { head } : {}),
    ...(branch ? { branch } : {}),
  }
}

/** Returns the hash of the empty tree, to compare a repository without commits. */
export async function hashEmptyTree(options: GitOptions): Promise<string> {
  return gitText(['hash-object', '-t', 'tree', '/dev/null'], options)
}

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
