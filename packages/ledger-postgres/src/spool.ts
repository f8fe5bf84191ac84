import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventRecord } from '@remora/protocol/plain'
import { type Appended, type Ledger, openLedger } from '@remora/ledger'
import { toRecords } from '@remora/ledger/internal'

interface SpoolOptions {
  readonly folder: string
  /** Stores records in the database; throws while it is offline. */
  readonly store: (records: readonly EventRecord[]) => Promise<Appended>
  readonly isOffline: (error: unknown) => boolean
}

const retryMs = 1_000
const pageSize = 500

/**
 * Keeps events while the database is offline, in a small SQLite ledger, so that even a kill loses nothing. They are
 * stored in order once the database is back. Events are identified by their origin, so nothing is stored twice. Files
 * of ended processes are taken over by the next one.
 */
export class Spool {
  readonly #options: SpoolOptions
  readonly #file: string
  /** Events that are not stored yet. */
  #kept: Ledger | undefined
  /** Runs one task after the other, so that new events do not overtake kept ones. */
  #queue: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: SpoolOptions) {
    this.#options = options
    this.#file = join(options.folder, `${process.pid}-${randomUUID()}.db`)
    this.#schedule(0)
  }

  /** Stores the records, or keeps them while the database is offline. */
  async append(records: readonly EventRecord[]): Promise<Appended> {
    if (!this.#kept) {
      try {
        return await this.#options.store(records)
      } catch (error) {
        if (!this.#options.isOffline(error)) throw error
      }
    }
    return this.#enqueue(() => this.#keep(records))
  }

  /** Tries once more; what remains stays in its file for the next process. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#enqueue(() => this.#drain()).catch(() => {})
    await this.#kept?.close()
    this.#kept = undefined
  }

  async #keep(records: readonly EventRecord[]): Promise<Appended> {
    if (!this.#kept) {
      await mkdir(this.#options.folder, { recursive: true, mode: 0o700 })
      this.#kept = await openLedger({ file: this.#file })
    }
    const kept = await this.#kept.append(records)
    this.#schedule(retryMs)
    return kept
  }

  #schedule(ms: number): void {
    if (this.#closed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#enqueue(async () => {
        await this.#drain()
        await this.#takeOver()
      }).catch(() => this.#schedule(retryMs))
    }, ms).unref()
  }

  async #drain(): Promise<void> {
    if (!this.#kept) return
    await this.#move(this.#kept)
    await this.#kept.close()
    this.#kept = undefined
    await removeFile(this.#file)
  }

  /** Stores what ended processes have left. */
  async #takeOver(): Promise<void> {
    for (const file of await listOrphans(this.#options.folder)) {
      const left = await openLedger({ file })
      try {
        await this.#move(left)
      } finally {
        await left.close()
      }
      await removeFile(file)
    }
  }

  async #move(from: Ledger): Promise<void> {
    for (let after = { epoch: from.epoch, seq: 0 }; ;) {
      const { events, cursor } = await from.read({ after, records: true, limit: pageSize })
      if (events.length === 0) return
      await this.#options.store(toRecords(events))
      after = cursor
    }
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const task = this.#queue.then(work, work)
    this.#queue = task.catch(() => {})
    return task
  }
}

async function removeFile(file: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(`${file}${end}`, { force: true })
}

/** Files of processes that have ended. */
async function listOrphans(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => /^\d+-[\w-]+\.db$/.test(name) && !isRunning(parseInt(name, 10)))
    .map((name) => join(folder, name))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It runs, but as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
