import { opendir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from '../git/git.ts'
import { isAllowed } from './open-below.ts'
import type { Roots } from './roots.ts'

/** Limits of one search; files beyond them are not found. */
const maxPaths = 50_000
const walkMs = 1_500
/** Entries that are read regardless of time, so that a busy machine lists small folders completely. */
const minEntries = 500
const gitMs = 5_000
const maxDepth = 12
/** The list is cached while the user types. */
const cacheMs = 15_000
const maxCached = 8

/** Folders of generated files. */
const skippedFolders = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  '__pycache__',
  '.venv',
  'target',
  '.cache',
])

export interface FindOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

const cache = new Map<string, { at: number; paths: Promise<readonly string[]> }>()

/**
 * Lists files and folders below a folder, relative to it; folders end with a slash. Files that git ignores or that may
 * contain secrets are omitted.
 *
 * @example await findPaths(roots, '/home/ann/project', { env, signal }) // ['src/', 'src/main.ts']
 */
export async function findPaths(roots: Roots, cwd: string, options: FindOptions): Promise<readonly string[]> {
  const folder = await realpath(cwd).catch(() => undefined)
  if (folder === undefined) return []
  const cached = cache.get(folder)
  if (cached && Date.now() - cached.at < cacheMs) return cached.paths
  // The folder of a session is allowed, also after the session ended.
  const paths = search({ ...roots, real: [...roots.real, folder] }, folder, options)
  cache.set(folder, { at: Date.now(), paths })
  paths.catch(() => cache.delete(folder))
  const [oldest] = cache.keys()
  if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest)
  return paths
}

async function search(roots: Roots, folder: string, options: FindOptions): Promise<readonly string[]> {
  const files = (await listWithGit(folder, options)) ?? (await walk(roots, folder, options.signal))
  const found = new Set<string>()
  for (const path of files) {
    if (found.size >= maxPaths) break
    if (!isAllowed(roots, join(folder, path))) continue
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      found.add(path.slice(0, end + 1))
    found.add(path)
  }
  return [...found]
}

/** Lists tracked and new files; undefined outside git. */
async function listWithGit(cwd: string, { env, signal }: FindOptions): Promise<string[] | undefined> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', '.']
  const output = await git(args, { cwd, env, signal, timeoutMs: gitMs }).catch(() => undefined)
  if (!output || (output.code !== 0 && !output.cut)) return undefined
  const fields = output.stdout.toString().split('\0')
  // The last entry is empty or truncated.
  return fields.slice(0, -1)
}

/** Does not follow links, which may lead outside or in circles. */
async function walk(roots: Roots, top: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = []
  const end = performance.now() + walkMs
  let visited = 0
  const isLate = (): boolean => visited++ > minEntries && performance.now() > end
  let level = ['']
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: string[] = []
    for (const below of level) {
      const entries = await opendir(join(top, below)).catch(() => undefined)
      if (!entries) continue
      for await (const entry of entries) {
        if (found.length >= maxPaths || isLate() || signal.aborted) return found
        const path = below + entry.name
        if (entry.isDirectory()) {
          if (!skippedFolders.has(entry.name) && isAllowed(roots, join(top, path))) next.push(`${path}/`)
        } else if (entry.isFile()) found.push(path)
      }
    }
    level = next
  }
  return found
}

/**
 * Scores how well a path matches the typed text; undefined if it does not contain its letters in order. Letters at
 * word starts count more, and those in the file name most.
 *
 * @example scorePath('src/state/client.ts', 'cli')
 */
export function scorePath(path: string, typed: string): number | undefined {
  const lower = path.toLowerCase()
  const name = lower.lastIndexOf('/', lower.length - 2) + 1
  const inName = lower.indexOf(typed, name)
  // A whole match: the earlier and the shorter, the better.
  if (inName !== -1) return 2_000 - (inName - name) * 4 - path.length + (isWordStart(lower, inName) ? 500 : 0)
  const inPath = lower.indexOf(typed)
  if (inPath !== -1) return 1_000 - path.length + (isWordStart(lower, inPath) ? 200 : 0)
  let score = 0
  let at = -1
  for (const letter of typed) {
    const next = lower.indexOf(letter, at + 1)
    if (next === -1) return undefined
    score += (isWordStart(lower, next) ? 12 : 0) + (next === at + 1 ? 8 : 0) + (next >= name ? 4 : 0)
    at = next
  }
  return score - path.length / 4
}

function isWordStart(lower: string, at: number): boolean {
  return at === 0 || /[/._\-\s]/.test(lower[at - 1]!)
}

/** Returns the best matches first; without text, the shallowest paths. @example rankPaths(paths, 'readme', 30) */
export function rankPaths(paths: Iterable<string>, typed: string, limit: number): string[] {
  const query = typed.toLowerCase().replaceAll(/\s+/g, '')
  const scored: { path: string; score: number }[] = []
  for (const path of paths) {
    const score = query === '' ? -getDepth(path) * 1_000 - path.length : scorePath(path, query)
    if (score !== undefined) scored.push({ path, score })
  }
  scored.sort((left, right) => right.score - left.score || (left.path < right.path ? -1 : 1))
  return scored.slice(0, limit).map(({ path }) => path)
}

function getDepth(path: string): number {
  return path.replace(/\/$/, '').split('/').length
}
