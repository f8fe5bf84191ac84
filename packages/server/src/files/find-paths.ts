import { opendir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from '../git/git.ts'
import { mayBeSeen } from './open-below.ts'
import type { Roots } from './roots.ts'

/** So much is looked at, and so long; what is more is not found. */
const mostPaths = 50_000
const walkMs = 1_500
/** So many are looked at however long that takes: a busy machine must not hide half of a small folder. */
const surely = 500
const gitMs = 5_000
const deepest = 12
/** While somebody types, the files are those of a moment ago. */
const freshMs = 15_000
const kept = 8

/** Folders full of what nobody has written. */
const dull = new Set(['node_modules', '.git', '.hg', '.svn', '__pycache__', '.venv', 'target', '.cache'])

export interface FindOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

const recent = new Map<string, { at: number; paths: Promise<readonly string[]> }>()

/**
 * Files and folders below a folder, as seen from there; folders end with a slash. What git ignores is left out where there
 * is git, and what may hold keys everywhere.
 *
 * @example await findPaths(roots, '/home/ann/project', { env, signal }) // ['src/', 'src/main.ts']
 */
export async function findPaths(roots: Roots, cwd: string, options: FindOptions): Promise<readonly string[]> {
  const folder = await realpath(cwd).catch(() => undefined)
  if (folder === undefined) return []
  const known = recent.get(folder)
  if (known && Date.now() - known.at < freshMs) return known.paths
  // The session works there: its folder is one that may be looked at, also when it has ended.
  const paths = search({ ...roots, real: [...roots.real, folder] }, folder, options)
  recent.set(folder, { at: Date.now(), paths })
  paths.catch(() => recent.delete(folder))
  const [oldest] = recent.keys()
  if (recent.size > kept && oldest !== undefined) recent.delete(oldest)
  return paths
}

async function search(roots: Roots, folder: string, options: FindOptions): Promise<readonly string[]> {
  const files = (await tracked(folder, options)) ?? (await walked(roots, folder, options.signal))
  const found = new Set<string>()
  for (const path of files) {
    if (found.size >= mostPaths) break
    if (!mayBeSeen(roots, join(folder, path))) continue
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      found.add(path.slice(0, end + 1))
    found.add(path)
  }
  return [...found]
}

/** What git knows, and what is new and not ignored; undefined where there is no git. */
async function tracked(cwd: string, { env, signal }: FindOptions): Promise<string[] | undefined> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', '.']
  const output = await git(args, { cwd, env, signal, timeoutMs: gitMs }).catch(() => undefined)
  if (!output || (output.code !== 0 && !output.cut)) return undefined
  const words = output.stdout.toString().split('\0')
  // The last one is empty, or was cut off.
  return words.slice(0, -1)
}

/** Links are not followed: they may lead anywhere, and in circles. */
async function walked(roots: Roots, top: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = []
  const end = performance.now() + walkMs
  let looked = 0
  const isLate = (): boolean => looked++ > surely && performance.now() > end
  let level = ['']
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const next: string[] = []
    for (const below of level) {
      const entries = await opendir(join(top, below)).catch(() => undefined)
      if (!entries) continue
      for await (const entry of entries) {
        if (found.length >= mostPaths || isLate() || signal.aborted) return found
        const path = below + entry.name
        if (entry.isDirectory()) {
          if (!dull.has(entry.name) && mayBeSeen(roots, join(top, path))) next.push(`${path}/`)
        } else if (entry.isFile()) found.push(path)
      }
    }
    level = next
  }
  return found
}
