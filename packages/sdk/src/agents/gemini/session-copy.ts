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
  /** Whether it is the conversation, not an attachment such as a tool output. */
  readonly session: boolean
}

/** Older copies, left by a crash, are useless. */
const oldMs = 7 * 24 * 60 * 60 * 1000
/** A complete copy has a description. One without it after this time is abandoned. */
const unfinishedMs = 60 * 60 * 1000

/** The folder with the copies of sessions being resumed. */
export function copyFolder(place: Place): string {
  return join(place.env['REMORA_HOME'] || join(place.home, '.remora'), 'safe-resume', 'gemini')
}

/** Copies a session's files and everything that the CLI would delete with them. Only the user can read the copy. */
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
      // Free on file systems that share blocks.
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

/** Keeps a copy for the user to inspect. */
export async function keepCopy({ copy }: SessionCopy): Promise<void> {
  await rename(copy, keptName(copy)).catch(() => {})
}

/** @example keptName('/home/me/.remora/safe-resume/gemini/247a8d8a-…') */
export function keptName(copy: string): string {
  return `${copy}.kept`
}

/** Lists the copies whose owners have died, and deletes useless ones. */
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

/** Lists what the CLI keeps beside the session's file and deletes with it. */
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
