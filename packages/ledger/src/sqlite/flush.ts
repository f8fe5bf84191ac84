import { close, fdatasync, open } from 'node:fs'
import type { Connection } from './connection.ts'

/** Syncs this often, but only after many writes; few writes need no help. */
const intervalMs = 200
const minWrites = 16

/**
 * Syncs the write-ahead log in another thread. Otherwise SQLite syncs all of it during a checkpoint: 32 MB block a
 * write for as long as a dozen events of a busy agent take. Only the log may be opened here, since closing any other
 * file would release SQLite's locks.
 */
export class Flusher {
  readonly #log: string
  #fd: number | undefined
  #timer: NodeJS.Timeout | undefined
  #writes = 0
  #isSyncing = false
  #closed = false

  constructor({ file }: Pick<Connection, 'file'>) {
    this.#log = `${file}-wal`
  }

  /** Call it after each write. */
  schedule(): void {
    this.#writes += 1
    if (this.#closed || this.#writes < minWrites) return
    this.#timer ??= setTimeout(() => this.#flush(), intervalMs).unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    if (!this.#isSyncing) this.#closeLog()
  }

  #flush(): void {
    this.#timer = undefined
    // A slow disk gets one sync at a time.
    if (this.#isSyncing) return
    this.#isSyncing = true
    this.#writes = 0
    const done = (): void => {
      this.#isSyncing = false
      if (this.#closed) this.#closeLog()
    }
    const sync = (fd: number): void => fdatasync(fd, done)
    if (this.#fd !== undefined) return sync(this.#fd)
    open(this.#log, 'r+', (error, fd) => {
      if (error) return done()
      this.#fd = fd
      sync(fd)
    })
  }

  #closeLog(): void {
    if (this.#fd !== undefined) close(this.#fd)
    this.#fd = undefined
  }
}
