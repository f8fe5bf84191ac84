import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { isRunning, parseOwner, thisProcess } from '../../process/owner.ts'

/** A session as it was before a resume. */
export interface SessionCopy {
  readonly copy: string
  readonly id: string
  /** The folder of the project's sessions. */
  readonly folder: string
  readonly items: readonly CopiedFile[]
}

export interface CopiedFile {
  readonly path: string
  readonly copy: string
  readonly size: number
  /** The conversation itself, and not something that belongs to it, such as the output of a tool. */
  readonly session: boolean
}

/** After this a copy that a crash left is too old to be of use. */
const oldMs = 7 * 24 * 60 * 60 * 1000
/** A copy is described when it is complete; one that was not for so long never will be. */
const unfinishedMs = 60 * 60 * 1000

/** Where the copies of all sessions are kept while they are resumed. */
export function copyFolder(place: Place): string {
  return join(place.env['REMORA_HOME'] || join(place.home, '.remora'), 'safe-resume', 'gemini')
}

/** Copies a session's files and all that the CLI would delete with them. Only the user may read the copy. */
export async function copySession(
  copy: string,
  session: { id: string; folder: string; files: readonly string[] },
): Promise<SessionCopy> {
  const { id, folder, files } = session
  await mkdir(copy, { recursive: true, mode: 0o700 })
  const items: CopiedFile[] = []
  for (const path of [...files, ...(await belongings(folder, id))]) {
    const target = join(copy, `${items.length}-${basename(path)}`)
    try {
      // Costs nothing on file systems that share blocks.
      await copyFile(path, target, constants.COPYFILE_FICLONE)
      await chmod(target, 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      throw error
    }
    items.push({ path, copy: target, size: (await stat(target)).size, session: files.includes(path) })
  }
  const about = { ...(await thisProcess()), id, folder, items }
  await writeFile(join(copy, 'about.json'), JSON.stringify(about), { mode: 0o600 })
  return { copy, id, folder, items }
}

export async function removeCopy({ copy }: SessionCopy): Promise<void> {
  await rm(copy, { recursive: true, force: true })
}

/** Puts a copy aside for a person to look at. */
export async function keepCopy({ copy }: SessionCopy): Promise<void> {
  await rename(copy, keptName(copy)).catch(() => {})
}

/** @example keptName('/home/me/.remora/safe-resume/gemini/247a8d8a-…') */
export function keptName(copy: string): string {
  return `${copy}.kept`
}

/** The copies whose owners have died; those which are of no use any more are dropped. */
export async function readCopies(root: string): Promise<SessionCopy[]> {
  const found: SessionCopy[] = []
  for (const name of await readdir(root).catch(() => [])) {
    if (/\.(lock|kept)$/.test(name)) continue
    const copy = join(root, name)
    const age = Date.now() - ((await stat(copy).catch(() => undefined))?.mtimeMs ?? Date.now())
    const about = await readAbout(copy)
    const owner = parseOwner(about)
    if (owner && (await isRunning(owner))) continue
    if (age > oldMs || (!owner && age > unfinishedMs)) await rm(copy, { recursive: true, force: true })
    else if (owner) found.push(...asCopy(copy, about))
  }
  return found
}

async function readAbout(copy: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return asRecord(JSON.parse(await readFile(join(copy, 'about.json'), 'utf8')))
  } catch {
    return undefined
  }
}

function asCopy(copy: string, about: Readonly<Record<string, unknown>> | undefined): SessionCopy[] {
  const id = asString(about?.['id'])
  const folder = asString(about?.['folder'])
  if (id === undefined || folder === undefined || !Array.isArray(about?.['items'])) return []
  return [{ copy, id, folder, items: about['items'] as CopiedFile[] }]
}

/** What the CLI keeps of a session beside its file, and deletes together with it. */
async function belongings(folder: string, id: string): Promise<string[]> {
  const project = dirname(folder)
  const name = id.replace(/[^a-zA-Z0-9_-]/g, '_')
  const folders = [join(folder, name), join(project, name), join(project, 'tool-outputs', `session-${name}`)]
  const files = await Promise.all(folders.map(filesBelow))
  return [join(project, 'logs', `session-${name}.jsonl`), ...files.flat()]
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(folder, relative(folder, join(entry.parentPath, entry.name))))
}
