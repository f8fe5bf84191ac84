import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { Bell } from '../bell.ts'
import type { Connection } from './connection.ts'

/** File events tell of other processes at once; where they fail, this does. */
const pollEvery = 2000
/** A file changes a moment before what was written can be read: so it is looked at again after these. */
const lookAgain = [1, 4, 20, 100]

/** Others are seen by the files they write. */
export class FileBell extends Bell {
  readonly #connection: Connection
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #version: unknown

  constructor(connection: Connection) {
    super()
    this.#connection = connection
  }

  protected hear(): void {
    if (this.#timer) {
      for (const held of [this.#timer, this.#watcher]) held?.ref()
      return
    }
    const { file } = this.#connection
    const name = basename(file)
    try {
      this.#watcher = watch(dirname(file), (_, changed) => {
        if (changed === null || changed.startsWith(name)) this.#look(0)
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // No more watches to be had: the poll remains.
    }
    this.#version = this.#dataVersion()
    this.#timer = setInterval(() => this.#poll(), pollEvery)
  }

  protected rest(): void {
    for (const held of [this.#timer, this.#watcher]) held?.unref()
  }

  protected leave(): void {
    this.#watcher?.close()
    this.#watcher = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
    clearTimeout(this.#again)
  }

  #look(turn: number): void {
    this.#poll()
    clearTimeout(this.#again)
    const pause = lookAgain[turn]
    if (pause !== undefined) this.#again = setTimeout(() => this.#look(turn + 1), pause).unref()
  }

  #poll(): void {
    const version = this.#dataVersion()
    if (version === this.#version) return
    this.#version = version
    this.ring()
  }

  #dataVersion(): unknown {
    const { database } = this.#connection
    // Compiled once: it is asked for with every change of a file.
    if (!database.isOpen) return undefined
    return this.#connection.statement<{ data_version: number }>('PRAGMA data_version').get()?.data_version
  }
}
