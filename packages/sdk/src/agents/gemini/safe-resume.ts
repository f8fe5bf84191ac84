import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { withFileLock } from '../../files/file-lock.ts'
import {
  type SessionCopy,
  copyFolder,
  copySession,
  keepCopy,
  readCopies,
  removeCopy,
} from './session-copy.ts'
import {
  chatFolders,
  listSessionFiles,
  readSessionFile,
  resolveSession,
  sessionNames,
  shortId,
} from './session-files.ts'
import { restoreSession } from './session-restore.ts'

/**
 * Protects a resume. From 0.39 on a resume of Gemini CLI leaves a second file with only the start of a session. The
 * next start takes it for a broken session and deletes every file with its short id, including the real one. So the
 * session is copied first, the second file is removed, and the real file is compared with the copy and restored if it
 * lost anything.
 */
export interface Protection {
  /** The id of the resumed session, also for `latest`. */
  readonly id: string
  /**
   * Removes the second file as soon as the CLI writes to the real one, because another start may happen at any time.
   * Call it repeatedly while the CLI starts, until it returns true.
   */
  settle(): Promise<boolean>
  /** Call it when the CLI has ended. Returns the problems found, and deletes the copy if there are none. */
  verify(): Promise<Problem[]>
}

/**
 * Protects a session before a resume by id, number or `latest`. Returns undefined if the session does not exist, which
 * the CLI reports itself.
 *
 * @example
 * const protection = await protectSession(place, 'latest')
 * // … gemini --resume <protection.id> …
 * const problems = await protection.verify()
 */
export async function protectSession(place: Place, wanted: string): Promise<Protection | undefined> {
  const id = await resolveSession(place, wanted)
  if (id === undefined) return undefined
  const root = copyFolder(place)
  await mkdir(root, { recursive: true, mode: 0o700 })
  for (const folder of await chatFolders(place)) {
    const copy = await locked(root, id, async () => {
      await removeStubs(folder, id)
      const files = await listSessionFiles(folder, id)
      const real = (await Promise.all(files.map(readSessionFile))).some(
        (file) => file?.spoken && file.id === id,
      )
      return real
        ? copySession(join(root, `${shortId(id)}-${randomUUID()}`), { id, folder, files })
        : undefined
    })
    if (copy) return new CopiedSession(root, copy)
  }
  return undefined
}

/**
 * Recovers sessions whose resume was interrupted by the death of our process.
 *
 * @example const problems = await recoverSessions(place)
 */
export async function recoverSessions(place: Place): Promise<Problem[]> {
  const root = copyFolder(place)
  const problems: Problem[] = []
  for (const copy of await readCopies(root)) problems.push(...(await new CopiedSession(root, copy).verify()))
  return problems
}

/**
 * Removes the leftovers of resumes beside real sessions of the working directory, before the next start makes the CLI
 * delete both. Such a stub is useless: once started, the CLI writes to the real file.
 */
export async function removeLeftStubs(place: Place): Promise<void> {
  for (const folder of await chatFolders(place)) {
    const ids = new Map<string, number>()
    for (const name of await sessionNames(folder)) {
      const [short] = /(?<=-).{8}(?=\.jsonl?$)/.exec(name) ?? []
      if (short !== undefined) ids.set(short, (ids.get(short) ?? 0) + 1)
    }
    for (const [short, count] of ids) if (count > 1) await removeStubs(folder, short)
  }
}

class CopiedSession implements Protection {
  readonly id: string
  readonly #root: string
  readonly #copy: SessionCopy
  #settled = false

  constructor(root: string, copy: SessionCopy) {
    this.id = copy.id
    this.#root = root
    this.#copy = copy
  }

  async settle(): Promise<boolean> {
    if (this.#settled) return true
    for (const item of this.#copy.items) {
      if (!item.session) continue
      const now = await stat(item.path).catch(() => undefined)
      // A session of an old version continues in a new file with the same name.
      const next = item.path.endsWith('.json')
        ? await stat(`${item.path}l`).catch(() => undefined)
        : undefined
      if ((now && now.size > item.size) || next) this.#settled = true
    }
    if (this.#settled) await locked(this.#root, this.id, () => removeStubs(this.#copy.folder, this.id))
    return this.#settled
  }

  async verify(): Promise<Problem[]> {
    return locked(this.#root, this.id, async () => {
      const { problems, keep } = await restoreSession(this.#copy)
      await removeStubs(this.#copy.folder, this.id)
      await (keep ? keepCopy(this.#copy) : removeCopy(this.#copy))
      return problems
    })
  }
}

/** Removes files without a conversation that have a real file of the same session beside them. */
async function removeStubs(folder: string, id: string): Promise<void> {
  const found = await Promise.all((await listSessionFiles(folder, id)).map(readSessionFile))
  const files = found.filter((file) => file !== undefined)
  const real = files.filter((file) => file.spoken && !file.subagent && file.id !== undefined)
  for (const file of files) {
    if (file.spoken || file.subagent) continue
    // Two sessions may have the same short id.
    if (real.some((other) => file.id === undefined || other.id === file.id))
      await rm(file.path, { force: true })
  }
}

function locked<T>(root: string, id: string, work: () => Promise<T>): Promise<T> {
  return withFileLock(join(root, shortId(id)), work)
}
