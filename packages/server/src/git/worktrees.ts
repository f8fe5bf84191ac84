import { randomBytes, createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { type GitSurroundings, changedPaths } from './git-start.ts'
import { type GitOptions, git, gitFailed, gitText, tryGit } from './git.ts'
import { findRepository } from './repository.ts'

export { gitStart } from './git-start.ts'

/** A folder of its own for one session, with a branch of its own. */
export interface Worktree {
  readonly path: string
  readonly branch: string
  /** The repository that it belongs to. */
  readonly of: string
  /** Where to work in it: the same folder of the repository as the one that it was made from. */
  readonly cwd: string
  /** The commit that it began with. */
  readonly base: string
}

const branchPrefix = 'remora/'

/**
 * Where worktrees are: new ones beside Remora's own folder, so that deleting that folder deletes no work, and those of
 * earlier versions inside it.
 *
 * @example worktreeRoots('/home/me/.remora')[0] // '/home/me/.remora-worktrees'
 */
export function worktreeRoots(remoraHome: string): readonly [current: string, earlier: string] {
  const home = resolve(remoraHome)
  return [`${home}-worktrees`, join(home, 'worktrees')]
}

/**
 * A worktree outside the repository, so that nothing of the user's is touched: `<REMORA_HOME>-worktrees/<repository>/<name>`.
 * The repository's filters run, as they do in any checkout, but none of its hooks.
 *
 * @example const { cwd, path, branch, of } = await createWorktree(remoraHome, cwd, 'fix-login')
 */
export async function createWorktree(
  remoraHome: string,
  cwd: string,
  name = randomName(),
  around: GitSurroundings = {},
): Promise<Worktree> {
  checkName(name)
  const repository = await findRepository(cwd, around)
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
  const path = join(worktreeRoots(remoraHome)[0], await folderOf(root, around), name)
  if (existsSync(path)) throw taken(`Worktree ${name} of ${root} already exists`)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const args = ['worktree', 'add', '--quiet', '-b', branch, '--', path, head]
  const { code, stderr } = await git(args, { ...around, cwd: root, filters: true, timeoutMs: 300_000 })
  if (code !== 0)
    throw /already exists|already checked out/.test(stderr)
      ? taken(`Branch ${branch} already exists`)
      : gitFailed(args, stderr)
  const real = await realpath(path)
  const within = folder === '' ? real : join(real, ...folder.split('/'))
  return { path: real, branch, of: root, cwd: existsSync(within) ? within : real, base: head }
}

export interface RemovedWorktree {
  readonly path: string
  readonly branch?: string
  /** The branch stays, since it has commits that no other has. */
  readonly branchKept: boolean
}

/**
 * Removes a worktree of ours where nothing is lost by it; throws `conflict` and says why otherwise.
 *
 * @example const { branchKept } = await removeWorktree(remoraHome, path)
 */
export async function removeWorktree(
  remoraHome: string,
  path: string,
  around: GitSurroundings = {},
): Promise<RemovedWorktree> {
  const real = await ownPath(remoraHome, path)
  const options = { ...around, cwd: real }
  const status = await worktreeStatus(real, options)
  if (status.changed.length > 0) {
    const names = status.changed.slice(0, 3).join(', ')
    throw refused(
      real,
      `it has ${status.changed.length} uncommitted ${status.changed.length === 1 ? 'change' : 'changes'} (${names})`,
      'Commit or discard them first.',
    )
  }
  if (status.unfinished)
    throw refused(
      real,
      `a ${status.unfinished} is in progress`,
      `Finish it, or: git ${status.unfinished} --abort`,
    )
  if (status.branch === undefined && status.own > 0)
    throw refused(real, `${status.own} commits are not on any branch`, 'Keep them: git switch -c <name>')
  // The folder goes away below the command, so that git must stand in the repository.
  const outside = { ...options, cwd: mainFolder(await gitText(commonFolder, options)) }
  const args = ['worktree', 'remove', '--', real]
  const { code, stderr } = await git(args, { ...outside, timeoutMs: 300_000 })
  if (code !== 0) throw refused(real, stderr.trim().split('\n')[0] ?? 'git failed', 'See: git worktree list')
  // Empty folders of ours go too; one that is not empty stays.
  await rmdir(dirname(real)).catch(() => {})
  await rmdir(dirname(dirname(real))).catch(() => {})
  const { branch, head, own } = status
  if (branch === undefined) return { path: real, branchKept: false }
  if (own > 0 || !branch.startsWith(branchPrefix)) return { path: real, branch, branchKept: true }
  // Only as it was when it was looked at.
  await tryGit(['update-ref', '-d', `refs/heads/${branch}`, head], outside)
  const left = await tryGit(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], outside)
  return { path: real, branch, branchKept: left !== undefined }
}

export interface WorktreeEntry {
  readonly path: string
  readonly of?: string
  readonly branch?: string
  readonly clean: boolean
}

/** Those that we made. @example for (const { path, branch } of await listWorktrees(remoraHome)) … */
export async function listWorktrees(
  remoraHome: string,
  around: GitSurroundings = {},
): Promise<WorktreeEntry[]> {
  const entries: WorktreeEntry[] = []
  for (const path of await findWorktrees(remoraHome)) {
    const options = { ...around, cwd: path }
    // Without git a worktree is listed all the same, as one that may have changes.
    const common = await tryGit(commonFolder, options).catch(() => undefined)
    const branch = await tryGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], options).catch(
      () => undefined,
    )
    const changed = await changedPaths(path, options).catch(() => ['?'])
    entries.push({
      path,
      ...(common ? { of: mainFolder(common) } : {}),
      ...(branch ? { branch } : {}),
      clean: changed.length === 0,
    })
  }
  return entries
}

async function findWorktrees(remoraHome: string): Promise<string[]> {
  const found: string[] = []
  for (const root of worktreeRoots(remoraHome))
    for (const repository of await readdir(root).catch(() => []))
      for (const name of await readdir(join(root, repository)).catch(() => [])) {
        const path = join(root, repository, name)
        if (existsSync(join(path, '.git'))) found.push(path)
      }
  return found
}

/** What would be lost with a worktree. */
async function worktreeStatus(path: string, options: GitOptions) {
  const [changed, head, branch, folder] = await Promise.all([
    changedPaths(path, options),
    gitText(['rev-parse', '--verify', 'HEAD'], options),
    tryGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], options),
    gitText(['rev-parse', '--absolute-git-dir'], options),
  ])
  const others = branch === undefined ? [] : [`--exclude=refs/heads/${branch}`]
  // `--exclude` counts for the next option only.
  const own = await gitText(
    ['rev-list', '--count', head, '--not', ...others, '--glob=refs/heads/*', '--remotes', '--tags'],
    options,
  )
  const unfinished = Object.entries(underWay).find(([file]) => existsSync(join(folder, file)))?.[1]
  return { changed, head, branch, own: Number(own), unfinished }
}

const underWay: Readonly<Record<string, string>> = {
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  BISECT_LOG: 'bisect',
}

async function ownPath(remoraHome: string, path: string): Promise<string> {
  const [real, ...roots] = await Promise.all(
    [path, ...worktreeRoots(remoraHome)].map((each) => realpath(each).catch(() => undefined)),
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

/** Two repositories of one name do not share a folder, and a worktree's worktrees lie with those of its repository. */
async function folderOf(root: string, around: GitSurroundings): Promise<string> {
  const main = mainFolder(await gitText(commonFolder, { ...around, cwd: root }))
  const hash = createHash('sha256').update(main).digest('hex').slice(0, 6)
  return `${basename(main).replaceAll(/[^\w.-]+/g, '-')}-${hash}`
}

const commonFolder = ['rev-parse', '--path-format=absolute', '--git-common-dir']

function mainFolder(common: string): string {
  return basename(common) === '.git' ? dirname(common) : common
}

function checkName(name: string): void {
  if (/^[a-z0-9][\w.-]{0,59}$/i.test(name) && !name.includes('..') && !/\.(?:lock)?$/.test(name)) return
  throw new RemoraError(
    'usage',
    'A worktree name must start with a letter or digit and contain only letters, digits, dots and dashes',
  )
}

function randomName(): string {
  return `wt-${randomBytes(4).toString('hex')}`
}

function taken(message: string): RemoraError {
  return new RemoraError('conflict', message, { hint: 'Choose another name or omit it.' })
}

function refused(path: string, why: string, hint: string): RemoraError {
  return new RemoraError('conflict', `Cannot remove worktree ${path}: ${why}`, { hint })
}
