import { type FSWatcher, type Stats, existsSync, statSync, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Agent, Place } from '../../contract/agent.ts'
import { listTranscriptFolders } from './find-files.ts'

/** The interval of a full scan, because the file system may drop events. */
const safetyMs = 30_000
const deepest = 6
/** How long one scan may block the event loop. */
const sliceMs = 5
const databaseLog = /-wal$/
/** SQLite's shared-memory file. Every reader writes to it and it has no data, so its changes are ignored. */
const databaseLogIndex = /-shm$/

/**
 * Calls back for every file below a folder that is created, changed or deleted, until the signal aborts. The folder itself
 * may be created later. When idle it only scans twice a minute.
 *
 * @example watchFolders('/home/me/.claude/projects', (path) => read(path), signal)
 */
export async function watchFolders(
  root: string,
  onChange: (path: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const watcher = new FolderWatcher(root, onChange)
  signal.addEventListener('abort', () => watcher.close(), { once: true })
  await watcher.start()
}

class FolderWatcher {
  readonly #root: string
  readonly #onChange: (path: string) => void
  readonly #folders = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>()
  /** The last known stamp of each file, to find changes without an event. */
  readonly #seen = new Map<string, string>()
  #above: FSWatcher | undefined
  /** Folders above the root that appeared without an event. They are checked once, because they may not be watchable. */
  #came: string | undefined
  #timer: NodeJS.Timeout | undefined
  #sliceStart = 0
  #closed = false

  constructor(root: string, onChange: (path: string) => void) {
    this.#root = root
    this.#onChange = onChange
  }

  async start(): Promise<void> {
    await this.#look(true)
    if (this.#closed) return
    this.#timer = setInterval(() => void this.#look(false), safetyMs)
    this.#timer.unref()
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    this.#above?.close()
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  /** Scans everything. New folders are watched, and new files are reported except in the first scan. */
  async #look(first: boolean): Promise<void> {
    const alive = new Set<string>()
    await this.#visit(this.#root, 0, first, alive)
    for (const path of this.#seen.keys()) {
      if (alive.has(path)) continue
      this.#seen.delete(path)
      this.#tell(path)
    }
    // A scan that is still running after close must not start watching.
    if (this.#closed) return
    if (!this.#folders.has(this.#root)) this.#waitForRoot()
    else this.#came = undefined
  }

  async #visit(folder: string, depth: number, silent: boolean, alive?: Set<string>): Promise<void> {
    if (this.#closed) return
    // A folder that cannot be watched is still scanned periodically.
    this.#watch(folder, depth)
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && depth < deepest) await this.#visit(path, depth + 1, silent, alive)
      if (!entry.isFile()) continue
      alive?.add(path)
      const stats = statFile(path)
      if (stats) this.#file(path, stats, silent)
      await this.#yieldIfLong()
    }
  }

  async #yieldIfLong(): Promise<void> {
    if (performance.now() - this.#sliceStart < sliceMs) return
    await yieldToOthers()
    this.#sliceStart = performance.now()
  }

  #watch(folder: string, depth: number): void {
    const identity = getIdentity(folder)
    // The old watch does not see a new folder with the same name.
    if (identity !== undefined && this.#folders.get(folder)?.identity === identity) return
    this.#drop(folder)
    if (identity === undefined) return
    try {
      const watcher = watch(folder, (_, name) => {
        if (name !== null) void this.#changed(join(folder, name), depth)
      })
      watcher.on('error', () => this.#drop(folder))
      this.#folders.set(folder, { watcher, identity })
    } catch {
      // Deleted, or the limit of watches is reached.
    }
  }

  async #changed(path: string, depth: number): Promise<void> {
    const stats = statFile(path)
    if (this.#closed) return
    if (stats?.isDirectory()) {
      if (depth < deepest) await this.#visit(path, depth + 1, false)
    } else if (stats) this.#file(path, stats, false)
    else if (this.#folders.has(path) || this.#isOther(dirname(path))) {
      this.#drop(this.#folders.has(path) ? path : dirname(path))
      await this.#look(false)
    } else if (this.#seen.delete(path)) this.#tell(path)
  }

  /** Whether a folder was deleted, even if another one with its name exists by now. */
  #isOther(folder: string): boolean {
    return getIdentity(folder) !== this.#folders.get(folder)?.identity
  }

  #file(path: string, stats: Stats, silent: boolean): void {
    if (databaseLogIndex.test(path)) return
    // Reading a database as root changes the owner of its log, and with it the ctime.
    const touched = databaseLog.test(path) ? 0 : stats.ctimeMs
    const stamp = `${stats.size}:${stats.mtimeMs}:${touched}:${stats.ino}`
    if (this.#seen.get(path) === stamp) return
    this.#seen.set(path, stamp)
    if (!silent) this.#tell(path)
  }

  #tell(path: string): void {
    if (!this.#closed) this.#onChange(path)
  }

  #drop(folder: string): void {
    for (const [path, { watcher }] of this.#folders) {
      if (path !== folder && !path.startsWith(join(folder, '/'))) continue
      watcher.close()
      this.#folders.delete(path)
    }
  }

  /** Watches the nearest existing ancestor of a missing root. */
  #waitForRoot(): void {
    this.#above?.close()
    this.#above = undefined
    for (let missing = this.#root; ; missing = dirname(missing)) {
      const folder = dirname(missing)
      try {
        this.#above = watch(folder, () => void this.#retry())
      } catch {
        if (folder === missing) return
        continue
      }
      this.#above.on('error', () => {})
      // It may have been created between the scan and the watch, without an event.
      if (existsSync(missing) && this.#came !== missing) {
        this.#came = missing
        void this.#retry()
      }
      return
    }
  }

  async #retry(): Promise<void> {
    if (this.#closed || this.#folders.has(this.#root)) return
    await this.#look(false)
    if (this.#folders.has(this.#root)) {
      this.#above?.close()
      this.#above = undefined
    }
  }
}

/** Synchronous: the asynchronous call costs twenty times as much CPU for a file that is in the cache. */
function statFile(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Identifies a folder by inode and birth time, because a new folder may reuse the inode. */
function getIdentity(folder: string): string | undefined {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.ino} ${stats.birthtimeNs}`
}

/**
 * Calls back for every transcript of an agent that is created, changed or deleted, until the signal aborts.
 *
 * @example await watchTranscripts(gemini, place, (path) => read(path), signal)
 */
export async function watchTranscripts(
  agent: Agent,
  place: Place,
  onChange: (path: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const part = agent.transcripts
  if (!part) return
  const root = part.root(place)
  const changed = (name: string): void => {
    // The write-ahead log of a database is a separate file.
    const path = name.replace(/-(?:wal|shm)$/, '')
    if (part.isSession(relative(root, path))) onChange(path)
  }
  for (const folder of listTranscriptFolders(agent, place)) await watchFolders(folder, changed, signal)
}
