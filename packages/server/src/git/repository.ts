import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { type GitOptions, git, gitFailed, gitText, tryGit } from './git.ts'

/** The repository that a folder lies in. */
export interface Repository {
  /** The real path of its uppermost folder. */
  readonly root: string
  /** The folder within it; empty for the uppermost one. */
  readonly folder: string
  /** What HEAD is; absent before the first commit. */
  readonly head?: string
  readonly branch?: string
}

/** Undefined outside git. @example const repository = await findRepository(cwd) */
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
    if (/dubious ownership/.test(stderr)) throw gitFailed(args, stderr)
    return undefined
  }
  const root = await realpath(stdout.toString().replace(/\n$/, ''))
  // A configuration may say that the files are elsewhere, in a folder that is nobody's business.
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

/** What a repository without a commit is compared with. */
export async function emptyTree(options: GitOptions): Promise<string> {
  return gitText(['hash-object', '-t', 'tree', '/dev/null'], options)
}
