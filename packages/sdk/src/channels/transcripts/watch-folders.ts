import { type FSWatcher, type Stats, existsSync, statSync, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** Events of the file system get lost when too many come at once; this often all is looked at again. */
const safetyMs = 30_000
const deepest = 6
/** How long one scan may keep the event loop. */
const sliceMs = 5
const databaseLog = /-wal$/
/** SQLite's index of a log. Every reader rewrites it and it holds no data, so its changes mean nothing. */
const databaseLogIndex = /-shm$/

/**
 * Calls back for every file below a folder that appears, changes or goes, until the signal. The folder itself may come
 * later. At rest it does nothing but look around twice a minute.
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
  /** What was seen of each file, to find by looking what no event told. */
  readonly #seen = new Map<string, string>()
  #above: FSWatcher | undefined
  /** What came on the way to the root unseen: looked for once, since it may be there and not for us to watch. */
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

  /** Goes through everything; what was not known is watched, and unless it is the first look, told. */
  async #look(first: boolean): Promise<void> {
    const alive = new Set<string>()
    await this.#visit(this.#root, 0, first, alive)
    for (const path of this.#seen.keys()) {
      if (alive.has(path)) continue
      this.#seen.delete(path)
      this.#tell(path)
    }
    // A look that was under way when all was closed must not begin to wait.
    if (this.#closed) return
    if (!this.#folders.has(this.#root)) this.#waitForRoot()
    else this.#came = undefined
  }

  async #visit(folder: string, depth: number, silent: boolean, alive?: Set<string>): Promise<void> {
    if (this.#closed) return
    // A folder that cannot be watched is still looked at, now and then.
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
    // A folder of the same name that was made anew is not seen by the old watch.
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
      // Gone, or no more watches to be had.
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

  /** Whether a folder has gone, also where there is another one of its name by the time that we hear of it. */
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

  /** Watches the nearest folder that exists, for the one on the way to the root that does not. */
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
      // It may have come between the look and the watch, and then nobody tells.
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

/** What tells one folder from the next one of its name, which may well get the number that has become free. */
function getIdentity(folder: string): string | undefined {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.ino} ${stats.birthtimeNs}`
}
