import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { isSecretPath } from '../files/secret-paths.ts'
import { type GitOptions, git, gitFailed, gitText, tryGit } from '../git/git.ts'
import { type ChangedFile, parseChangedFiles, parsePatch } from './parse-diff.ts'
import { emptyTree, findRepository } from '../git/repository.ts'
import { readUntracked, untrackedPaths } from './untracked.ts'

export interface ChangesOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The commit to compare with; HEAD where it is left out, or no longer there. */
  readonly since?: string
  /** Only this file, from the repository's uppermost folder on. */
  readonly file?: string
  /** How many characters of hunks at most: of one file, and in all. */
  readonly perFile?: number
  readonly total?: number
  readonly signal?: AbortSignal
}

export interface FileChange extends ChangedFile {
  /** The hunks as unified text, without a head. */
  readonly hunks?: string
  /** They are left out, or end before their end, since there is too much. */
  readonly cut?: true
  /** The file may hold keys, so that its text is not shown. */
  readonly secret?: true
}

export type Changes =
  | { readonly git: false; readonly cwd: string; readonly reason: string }
  | {
      readonly git: true
      readonly cwd: string
      readonly root: string
      /** The session's folder within the repository. */
      readonly folder: string
      readonly branch?: string
      readonly head?: string
      /** What it was compared with, and whether that was what was asked for. */
      readonly base?: string
      readonly baseLost?: true
      readonly files: readonly FileChange[]
      readonly additions: number
      readonly deletions: number
      /** How many files there are beyond those that are told. */
      readonly more: number
    }

const mostFiles = 2_000
const listBytes = 4 * 1024 * 1024
const defaults = { perFile: 100_000, total: 1_000_000 }

const diff = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--find-renames',
  '--ignore-submodules=dirty',
]
const prefixes = ['--src-prefix=a/', '--dst-prefix=b/', '--no-relative']

/**
 * What changed in the repository of a folder, file by file: committed since, staged, unstaged and new files.
 *
 * @example const changes = await readChanges(cwd, { since: start.commit })
 */
export async function readChanges(cwd: string, options: ChangesOptions = {}): Promise<Changes> {
  const around = { env: options.env, signal: options.signal } as Omit<GitOptions, 'cwd'>
  const repository = await findRepository(cwd, around)
  if (!repository) return { git: false, cwd, reason: `${cwd} is not in a git repository.` }
  const { root, folder, head, branch } = repository
  const within = { ...around, cwd: root }
  const base = await baseOf(options.since, head, within)
  const paths = options.file === undefined ? [] : ['--', `:(top,literal)${checked(options.file)}`]

  const list = await git([...diff, '--raw', '--numstat', '-z', '--no-abbrev', base.commit, ...paths], {
    ...within,
    maxBytes: listBytes,
  })
  if (list.code !== 0 && !list.cut) throw gitFailed(diff, list.stderr)
  const conflicts = await conflictsIn(within)
  const tracked = parseChangedFiles(list.stdout.toString()).map((file): ChangedFile =>
    conflicts.has(file.path) ? { ...file, status: 'conflict' } : file,
  )
  const untracked = await untrackedPaths(root, within, paths)
  const told = tracked.slice(0, mostFiles)
  const limits = { perFile: options.perFile ?? defaults.perFile, total: options.total ?? defaults.total }
  const patch = told.length === 0 ? '' : await readPatch(base.commit, paths, limits.total, within)
  const budget = new Budget(limits)
  const files = withHunks(root, told, patch, budget)
  for (const path of untracked.slice(0, mostFiles - told.length)) {
    const { hunks, ...file } = await readUntracked(root, path)
    files.push(bounded(root, file, hunks, budget))
  }
  return {
    git: true,
    cwd,
    root,
    folder,
    ...(branch ? { branch } : {}),
    ...(head ? { head } : {}),
    base: base.commit,
    ...(base.lost ? { baseLost: true as const } : {}),
    files,
    additions: files.reduce((sum, { additions = 0 }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions = 0 }) => sum + deletions, 0),
    more: tracked.length + untracked.length - files.length,
  }
}

/** All changes as one unified diff, as a reviewer reads them. @example const text = diffText(changes) */
export function diffText(files: readonly FileChange[]): string {
  return files
    .map((file) => {
      const { path, from = path, status, hunks, binary, secret, cut } = file
      const left = status === 'added' || status === 'untracked' ? '/dev/null' : `a/${from}`
      const right = status === 'deleted' ? '/dev/null' : `b/${path}`
      const notes = [
        ...(from === path ? [] : [`rename from ${from}`, `rename to ${path}`]),
        ...(binary ? ['Binary file'] : []),
        ...(secret ? ['(content hidden: it may contain secrets)'] : []),
        ...(cut ? ['(truncated)'] : []),
      ]
      return [
        `diff --git a/${from} b/${path}`,
        ...notes,
        `--- ${left}`,
        `+++ ${right}`,
        ...(hunks ? [hunks] : []),
      ].join('\n')
    })
    .join('\n')
}

async function baseOf(
  since: string | undefined,
  head: string | undefined,
  within: GitOptions,
): Promise<{ commit: string; lost?: true }> {
  if (since !== undefined) {
    if (!/^[0-9a-f]{7,64}$/.test(since)) throw new RemoraError('usage', 'A commit must be a hash')
    const commit = await tryGit(
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${since}^{commit}`],
      within,
    )
    if (commit !== undefined && commit !== '') return { commit }
  }
  const lost = since === undefined ? {} : { lost: true as const }
  return { commit: head ?? (await emptyTree(within)), ...lost }
}

/** Files that a merge left to a person: compared with a commit they look like any other. */
async function conflictsIn(within: GitOptions): Promise<Set<string>> {
  const said = await gitText(['ls-files', '--unmerged', '--full-name', '-z'], within)
  return new Set(said.split('\0').map((entry) => entry.slice(entry.indexOf('\t') + 1)))
}

async function readPatch(
  commit: string,
  paths: readonly string[],
  total: number,
  within: GitOptions,
): Promise<string> {
  const args = [...diff, ...prefixes, '--patch', '--unified=3', commit, ...paths]
  // Heads of files count too, so that there is some room beyond what is shown.
  const { code, stdout, stderr, cut } = await git(args, { ...within, maxBytes: total * 2 + 100_000 })
  if (code !== 0 && !cut) throw gitFailed(diff, stderr)
  return stdout.toString()
}

function withHunks(root: string, files: readonly ChangedFile[], patch: string, budget: Budget): FileChange[] {
  const hunks = parsePatch(patch)
  return files.map((file) => {
    const found = hunks.get(file.path)
    const expected = (file.additions ?? 0) + (file.deletions ?? 0) > 0
    if (found === undefined && expected) return secretOr(root, file) ?? { ...file, cut: true }
    return bounded(root, file, found, budget)
  })
}

function bounded(root: string, file: ChangedFile, hunks: string | undefined, budget: Budget): FileChange {
  const secret = secretOr(root, file)
  if (secret) return secret
  if (hunks === undefined || hunks === '') return file
  const taken = budget.take(hunks)
  return {
    ...file,
    ...(taken === '' ? {} : { hunks: taken }),
    ...(taken.length < hunks.length ? { cut: true } : {}),
  }
}

/** The folder of the repository counts too: it may be one for keys, or have one of Remora's in it. */
function secretOr(root: string, file: ChangedFile): FileChange | undefined {
  const secret = [file.path, ...(file.from === undefined ? [] : [file.from])].some((path) =>
    isSecretPath(join(root, path)),
  )
  return secret ? { ...file, secret: true } : undefined
}

/** What is left of the characters that may be shown. Text is cut between two lines. */
class Budget {
  readonly #perFile: number
  #left: number

  constructor({ perFile, total }: { perFile: number; total: number }) {
    this.#perFile = perFile
    this.#left = total
  }

  take(text: string): string {
    const room = Math.min(this.#perFile, this.#left)
    const taken = text.length <= room ? text : text.slice(0, text.lastIndexOf('\n', room - 1) + 1)
    this.#left -= taken.length
    return taken
  }
}

function checked(file: string): string {
  if (file === '' || file.startsWith('/') || file.includes('\0') || file.split('/').includes('..'))
    throw new RemoraError('usage', 'The file path must be relative to the repository')
  return file
}
