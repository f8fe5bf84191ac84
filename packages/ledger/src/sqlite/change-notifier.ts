import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { ChangeNotifier } from '../model/change-notifier.ts'
import type { Connection } from './connection.ts'

/** Poll interval, for when file events fail. */
const pollMs = 2000
/** Delays of further checks: a file event may arrive before the commit is readable. */
const recheckDelaysMs = [1, 4, 20, 100]

/** Sees changes of other processes by the files that they write. */
export class FileChangeNotifier extends ChangeNotifier {
  readonly #connection: Connection
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #recheck: NodeJS.Timeout | undefined
  #version: unknown

  constructor(connection: Connection) {
    super()
    this.#connection = connection
  }

  protected startWatching(): void {
    if (this.#timer) {
      for (const handle of [this.#timer, this.#watcher]) handle?.ref()
      return
    }
    const { file } = this.#connection
    const name = basename(file)
    try {
      this.#watcher = watch(dirname(file), (_, changed) => {
        if (changed === null || changed.startsWith(name)) this.#check(0)
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // The system allows no more file watches; polling remains.
    }
    this.#version = this.#dataVersion()
    this.#timer = setInterval(() => this.#poll(), pollMs)
  }

  protected unref(): void {
    for (const handle of [this.#timer, this.#watcher]) handle?.unref()
  }

  protected stopWatching(): void {
    this.#watcher?.close()
    this.#watcher = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
    clearTimeout(this.#recheck)
  }

  #check(attempt: number): void {
    this.#poll()
    clearTimeout(this.#recheck)
    const delay = recheckDelaysMs[attempt]
    if (delay !== undefined) this.#recheck = setTimeout(() => this.#check(attempt + 1), delay).unref()
  }

  #poll(): void {
    const version = this.#dataVersion()
    if (version === this.#version) return
    this.#version = version
    this.notify()
  }

  #dataVersion(): unknown {
    const { database } = this.#connection
    if (!database.isOpen) return undefined
    return this.#connection.statement<{ data_version: number }>('PRAGMA data_version').get()?.data_version
  }
}
