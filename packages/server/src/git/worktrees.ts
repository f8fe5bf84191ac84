import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { type GitSurroundings, findRepository, listChangedPaths } from './repository.ts'
import { type GitOptions, createGitError, git, gitText, tryGit } from './git.ts'

/** A git worktree of one session, with its own branch. */
export interface Worktree {
  readonly path: string
  readonly branch: string
  /** The root of the repository. */
  readonly of: string
  /** The folder to work in: the counterpart of the original folder. */
  readonly cwd: string
  /** The commit at which it was created. */
  readonly base: string
}

const branchPrefix = 'remora/'

/**
 * Returns the folders of worktrees: new ones are beside Remora's own folder, so that deleting it deletes no work, and
 * those of earlier versions inside it.
 *
 * @example getWorktreeRoots('/home/me/.remora')[0] // '/home/me/.remora-worktrees'
 */
export function getWorktreeRoots(remoraHome: string): readonly [current: string, earlier: string] {
  const home = resolve(remoraHome)
  return [`${home}-worktrees`, join(home, 'worktrees')]
}

/**
 * Creates a worktree outside the repository: `<REMORA_HOME>-worktrees/<repository>/<name>`. The repository's filters run,
 * as in any checkout, but none of its hooks.
 *
 * @example const { cwd, path, branch, of } = await createWorktree(remoraHome, cwd, 'fix-login')
 */
export async function createWorktree(
  remoraHome: string,
  cwd: string,
  name = createRandomName(),
  gitOptions: GitSurroundings = {},
): Promise<Worktree> {
  checkName(name)
  const repository = await findRepository(cwd, gitOptions)
  if (!repository)
    throw new RemoraError('unsupported', `${cwd} is not in a git repository`, {
      hint: 'Create one: git init, then commit.',
    })
  const { root, head, folder } = repository
  if (head === undefined)
    throw new RemoraError('unsupported', `${root} has no commits`, {
      hint: 'Create a first commit.',
    })
  const branch = `${branchPrefix}${name}`
  const path = join(getWorktreeRoots(remoraHome)[0], await getFolderName(root, gitOptions), name)
  if (existsSync(path)) throw createNameConflict(`Worktree ${name} of ${root} already exists`)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const args = ['worktree', 'add', '--quiet', '-b', branch, '--', path, head]
  const { code, stderr } = await git(args, { ...gitOptions, cwd: root, filters: true, timeoutMs: 300_000 })
  if (code !== 0)
    throw /already exists|already checked out/.test(stderr)
      ? createNameConflict(`Branch ${branch} already exists`)
      : createGitError(args, stderr)
  const real = await realpath(path)
  const within = folder === '' ? real : join(real, ...folder.split('/'))
  return { path: real, branch, of: root, cwd: existsSync(within) ? within : real, base: head }
}

export interface RemovedWorktree {
  readonly path: string
  readonly branch?: string
  /** Whether the branch stays, because no other branch has its commits. */
  readonly branchKept: boolean
}

/**
 * Removes a worktree, or throws `conflict` with the reason if work would be lost.
 *
 * @example const { branchKept } = await removeWorktree(remoraHome, path)
 */
export async function removeWorktree(
  remoraHome: string,
  path: string,
  gitOptions: GitSurroundings = {},
): Promise<RemovedWorktree> {
  const real = await resolveWorktree(remoraHome, path)
  const options = { ...gitOptions, cwd: real }
  const status = await readStatus(real, options)
  if (status.changed.length > 0) {
    const names = status.changed.slice(0, 3).join(', ')
    throw createRemoveError(
      real,
      `it has ${status.changed.length} uncommitted ${status.changed.length === 1 ? 'change' : 'changes'} (${names})`,
      'Commit or discard them first.',
    )
  }
  if (status.unfinished)
    throw createRemoveError(
      real,
      `a ${status.unfinished} is in progress`,
      `Finish it, or: git ${status.unfinished} --abort`,
    )
  if (status.branch === undefined && status.own > 0)
    throw createRemoveError(
      real,
      `${status.own} commits are not on any branch`,
      'Keep them: git switch -c <name>',
    )
  // Git must run in the repository, because the folder of the worktree is removed.
  const outside = { ...options, cwd: getMainFolder(await gitText(commonFolderArgs, options)) }
  const args = ['worktree', 'remove', '--', real]
  const { code, stderr } = await git(args, { ...outside, timeoutMs: 300_000 })
  if (code !== 0)
    throw createRemoveError(real, stderr.trim().split('\n')[0] ?? 'git failed', 'See: git worktree list')
  // Removes the parent folders if they are empty.
  await rmdir(dirname(real)).catch(() => {})
  await rmdir(dirname(dirname(real))).catch(() => {})
  const { branch, head, own } = status
  if (branch === undefined) return { path: real, branchKept: false }
  if (own > 0 || !branch.startsWith(branchPrefix)) return { path: real, branch, branchKept: true }
  // Deletes the branch only if it did not move since the check.
  await tryGit(['update-ref', '-d', `refs/heads/${branch}`, head], outside)
  const left = await tryGit(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], outside)
  return { path: real, branch, branchKept: left !== undefined }
}

/** A worktree that Remora created. */
export interface WorktreeEntry {
  readonly path: string
  readonly of?: string
  readonly branch?: string
  readonly clean: boolean
}

/** Lists the worktrees of Remora. @example for (const { path, branch } of await listWorktrees(remoraHome)) … */
export async function listWorktrees(
  remoraHome: string,
  gitOptions: GitSurroundings = {},
): Promise<WorktreeEntry[]> {
  const entries: WorktreeEntry[] = []
  for (const path of await findWorktrees(remoraHome)) {
    const options = { ...gitOptions, cwd: path }
    // Without git, a worktree is listed as possibly changed.
    const common = await tryGit(commonFolderArgs, options).catch(() => undefined)
    const branch = await tryGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], options).catch(
      () => undefined,
    )
    const changed = await listChangedPaths(path, options).catch(() => ['?'])
    entries.push({
      path,
      ...(common ? { of: getMainFolder(common) } : {}),
      ...(branch ? { branch } : {}),
      clean: changed.length === 0,
    })
  }
  return entries
}

async function findWorktrees(remoraHome: string): Promise<string[]> {
  const found: string[] = []
  for (const root of getWorktreeRoots(remoraHome))
    for (const repository of await readdir(root).catch(() => []))
      for (const name of await readdir(join(root, repository)).catch(() => [])) {
        const path = join(root, repository, name)
        if (existsSync(join(path, '.git'))) found.push(path)
      }
  return found
}

/** Reads the work that would be lost with a worktree. */
async function readStatus(path: string, options: GitOptions) {
  const [changed, head, branch, folder] = await Promise.all([
    listChangedPaths(path, options),
    gitText(['rev-parse', '--verify', 'HEAD'], options),
    tryGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], options),
    gitText(['rev-parse', '--absolute-git-dir'], options),
  ])
  const others = branch === undefined ? [] : [`--exclude=refs/heads/${branch}`]
  // `--exclude` applies to the next option only.
  const own = await gitText(
    ['rev-list', '--count', head, '--not', ...others, '--glob=refs/heads/*', '--remotes', '--tags'],
    options,
  )
  const unfinished = Object.entries(operations).find(([file]) => existsSync(join(folder, file)))?.[1]
  return { changed, head, branch, own: Number(own), unfinished }
}

const operations: Readonly<Record<string, string>> = {
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  BISECT_LOG: 'bisect',
}

async function resolveWorktree(remoraHome: string, path: string): Promise<string> {
  const [real, ...roots] = await Promise.all(
    [path, ...getWorktreeRoots(remoraHome)].map((each) => realpath(each).catch(() => undefined)),
  )
  if (real === undefined) throw new RemoraError('not_found', `No worktree at ${path}`)
  const root = roots.find((each) => each !== undefined && real.startsWith(each + sep))
  const below = root === undefined ? [] : real.slice(root.length + 1).split(sep)
  if (below.length !== 2 || !existsSync(join(real, '.git')))
    throw new RemoraError('permission', `${path} is not a Remora worktree`, {
      hint: 'Remove it with: git worktree remove <path>',
    })
  return real
}

/** Includes a hash of the main repository, so that two repositories of one name have separate folders. */
async function getFolderName(root: string, gitOptions: GitSurroundings): Promise<string> {
  const main = getMainFolder(await gitText(commonFolderArgs, { ...gitOptions, cwd: root }))
  const hash = createHash('sha256').update(main).digest('hex').slice(0, 6)
  return `${basename(main).replaceAll(/[^\w.-]+/g, '-')}-${hash}`
}

const commonFolderArgs = ['rev-parse', '--path-format=absolute', '--git-common-dir']

function getMainFolder(common: string): string {
  return basename(common) === '.git' ? dirname(common) : common
}

function checkName(name: string): void {
  if (/^[a-z0-9][\w.-]{0,59}$/i.test(name) && !name.includes('..') && !/\.(?:lock)?$/.test(name)) return
  throw new RemoraError(
    'usage',
    'A worktree name must start with a letter or digit and contain only letters, digits, dots and dashes',
  )
}

function createRandomName(): string {
  return `wt-${randomBytes(4).toString('hex')}`
}

function createNameConflict(message: string): RemoraError {
  return new RemoraError('conflict', message, { hint: 'Choose another name or omit it.' })
}

function createRemoveError(path: string, reason: string, hint: string): RemoraError {
  return new RemoraError('conflict', `Cannot remove worktree ${path}: ${reason}`, { hint })
}
