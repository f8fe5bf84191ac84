import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { isSecretPath } from '../files/secret-paths.ts'
import { type GitOptions, createGitError, git, gitText, tryGit } from '../git/git.ts'
import { type ChangedFile, parseChangedFiles, parsePatch } from './parse-diff.ts'
import { findRepository, hashEmptyTree } from '../git/repository.ts'
import { constants } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'

export interface ChangesOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The commit to compare with; HEAD if it is omitted or no longer exists. */
  readonly since?: string
  /** Only this file, relative to the root of the repository. */
  readonly file?: string
  /** The limit of hunk characters per file, and in total. */
  readonly perFile?: number
  readonly total?: number
  readonly signal?: AbortSignal
}

export interface FileChange extends ChangedFile {
  /** The hunks of the unified diff, without its header. */
  readonly hunks?: string
  /** Whether the hunks are missing or truncated, because there is too much text. */
  readonly cut?: true
  /** Whether the text is hidden, because it may contain secrets. */
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
      /** The commit that was compared with, and whether the requested one is missing. */
      readonly base?: string
      readonly baseLost?: true
      readonly files: readonly FileChange[]
      readonly additions: number
      readonly deletions: number
      /** How many more files changed. */
      readonly more: number
    }

const maxFiles = 2_000
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
 * Reads the changes in the repository of a folder: committed since, staged, unstaged and untracked.
 *
 * @example const changes = await readChanges(cwd, { since: start.commit })
 */
export async function readChanges(cwd: string, options: ChangesOptions = {}): Promise<Changes> {
  const gitOptions = { env: options.env, signal: options.signal } as Omit<GitOptions, 'cwd'>
  const repository = await findRepository(cwd, gitOptions)
  if (!repository) return { git: false, cwd, reason: `${cwd} is not in a git repository.` }
  const { root, folder, head, branch } = repository
  const inRoot = { ...gitOptions, cwd: root }
  const base = await findBase(options.since, head, inRoot)
  const paths = options.file === undefined ? [] : ['--', `:(top,literal)${checkRelativePath(options.file)}`]

  const list = await git([...diff, '--raw', '--numstat', '-z', '--no-abbrev', base.commit, ...paths], {
    ...inRoot,
    maxBytes: listBytes,
  })
  if (list.code !== 0 && !list.cut) throw createGitError(diff, list.stderr)
  const conflicts = await listConflicts(inRoot)
  const tracked = parseChangedFiles(list.stdout.toString()).map((file): ChangedFile =>
    conflicts.has(file.path) ? { ...file, status: 'conflict' } : file,
  )
  const untracked = await listUntracked(root, inRoot, paths)
  const listed = tracked.slice(0, maxFiles)
  const limits = { perFile: options.perFile ?? defaults.perFile, total: options.total ?? defaults.total }
  const patch = listed.length === 0 ? '' : await readPatch(base.commit, paths, limits.total, inRoot)
  const budget = new Budget(limits)
  const files = addHunks(root, listed, patch, budget)
  for (const path of untracked.slice(0, maxFiles - listed.length)) {
    const { hunks, ...file } = await readUntracked(root, path)
    files.push(toFileChange(root, file, hunks, budget))
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

/** Formats all changes as one unified diff. @example const text = formatDiff(changes.files) */
export function formatDiff(files: readonly FileChange[]): string {
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

async function findBase(
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
  return { commit: head ?? (await hashEmptyTree(within)), ...lost }
}

/** Lists unmerged files, which a diff with a commit does not mark. */
async function listConflicts(within: GitOptions): Promise<Set<string>> {
  const output = await gitText(['ls-files', '--unmerged', '--full-name', '-z'], within)
  return new Set(output.split('\0').map((entry) => entry.slice(entry.indexOf('\t') + 1)))
}

async function readPatch(
  commit: string,
  paths: readonly string[],
  total: number,
  within: GitOptions,
): Promise<string> {
  const args = [...diff, ...prefixes, '--patch', '--unified=3', commit, ...paths]
  // File headers need additional space beyond the hunks.
  const { code, stdout, stderr, cut } = await git(args, { ...within, maxBytes: total * 2 + 100_000 })
  if (code !== 0 && !cut) throw createGitError(diff, stderr)
  return stdout.toString()
}

function addHunks(root: string, files: readonly ChangedFile[], patch: string, budget: Budget): FileChange[] {
  const hunks = parsePatch(patch)
  return files.map((file) => {
    const found = hunks.get(file.path)
    const expected = (file.additions ?? 0) + (file.deletions ?? 0) > 0
    if (found === undefined && expected) return hideSecret(root, file) ?? { ...file, cut: true }
    return toFileChange(root, file, found, budget)
  })
}

function toFileChange(
  root: string,
  file: ChangedFile,
  hunks: string | undefined,
  budget: Budget,
): FileChange {
  const secret = hideSecret(root, file)
  if (secret) return secret
  if (hunks === undefined || hunks === '') return file
  const taken = budget.take(hunks)
  return {
    ...file,
    ...(taken === '' ? {} : { hunks: taken }),
    ...(taken.length < hunks.length ? { cut: true } : {}),
  }
}

/** Checks the full path, because the repository itself may be a folder for keys. */
function hideSecret(root: string, file: ChangedFile): FileChange | undefined {
  const secret = [file.path, ...(file.from === undefined ? [] : [file.from])].some((path) =>
    isSecretPath(join(root, path)),
  )
  return secret ? { ...file, secret: true } : undefined
}

/** The remaining characters that may be shown. Text is cut at line ends. */
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

function checkRelativePath(file: string): string {
  if (file === '' || file.startsWith('/') || file.includes('\0') || file.split('/').includes('..'))
    throw new RemoraError('usage', 'The file path must be relative to the repository')
  return file
}

const maxBytes = 1024 * 1024

/** Lists files that are neither tracked nor ignored. @example await listUntracked(root, { cwd: root }) */
async function listUntracked(
  root: string,
  options: GitOptions,
  paths: readonly string[] = [],
): Promise<string[]> {
  const args = ['ls-files', '--others', '--exclude-standard', '-z', ...paths]
  const output = await gitText(args, { ...options, cwd: root })
  return output.split('\0').filter((path) => path !== '')
}

/** Reads an untracked file as one hunk that adds all of it. @example await readUntracked(root, 'note.txt') */
async function readUntracked(root: string, path: string): Promise<ChangedFile & { readonly hunks?: string }> {
  const file: ChangedFile = { path, status: 'untracked' }
  const full = join(root, path)
  try {
    const found = await lstat(full)
    if (found.isSymbolicLink()) return toAddedHunk(file, await readlink(full), false)
    if (!found.isFile()) return file
    if (found.size > maxBytes) return { ...file, binary: true }
    // The file may have been replaced: links are not followed, and pipes do not block.
    const handle = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      if (!(await handle.stat()).isFile()) return file
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
      const bytes = buffer.subarray(0, bytesRead)
      if (bytes.subarray(0, 8_000).includes(0)) return { ...file, binary: true }
      const text = bytes.toString()
      return text === ''
        ? { ...file, additions: 0, deletions: 0 }
        : toAddedHunk(file, text.replace(/\n$/, ''), text.endsWith('\n'))
    } finally {
      await handle.close()
    }
  } catch {
    // The file was removed, or is not readable.
    return file
  }
}

function toAddedHunk(
  file: ChangedFile,
  text: string,
  hasFinalNewline: boolean,
): ChangedFile & { readonly hunks: string } {
  const lines = text.split('\n')
  const body = lines.map((line) => `+${line}`).join('\n')
  const end = hasFinalNewline ? '' : '\n\\ No newline at end of file'
  return {
    ...file,
    additions: lines.length,
    deletions: 0,
    hunks: `@@ -0,0 +1,${lines.length} @@\n${body}${end}`,
  }
}
