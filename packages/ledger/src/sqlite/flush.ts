import { close, fdatasync, open } from 'node:fs'
import type { Connection } from './connection.ts'

/** While there are many writes, the log is brought to the disk this often; few are no trouble. */
const everyMs = 200
const many = 16

/**
 * Brings what was written to the disk meanwhile, in another thread. SQLite does it in the end, all at once and in the
 * midst of a write: of a log of 32 MB that takes as long as a dozen events of a busy agent. Only the log may be opened
 * here: to close any other of its files would take SQLite's locks away.
 */
export class Flusher {
  readonly #log: string
  #fd: number | undefined
  #timer: NodeJS.Timeout | undefined
  #writes = 0
  #underWay = false
  #closed = false

  constructor({ file }: Pick<Connection, 'file'>) {
    this.#log = `${file}-wal`
  }

  /** Something was written. */
  later(): void {
    this.#writes += 1
    if (this.#closed || this.#writes < many) return
    this.#timer ??= setTimeout(() => this.#flush(), everyMs).unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    if (!this.#underWay) this.#release()
  }

  #flush(): void {
    this.#timer = undefined
    // A slow disk is not asked twice.
    if (this.#underWay) return
    this.#underWay = true
    this.#writes = 0
    const done = (): void => {
      this.#underWay = false
      if (this.#closed) this.#release()
    }
    const sync = (fd: number): void => fdatasync(fd, done)
    if (this.#fd !== undefined) return sync(this.#fd)
    open(this.#log, 'r+', (error, fd) => {
      if (error) return done()
      this.#fd = fd
      sync(fd)
    })
  }

  #release(): void {
    if (this.#fd !== undefined) close(this.#fd)
    this.#fd = undefined
  }
}
