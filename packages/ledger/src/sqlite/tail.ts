import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Cursor } from '@remora/protocol/plain'
import type { Page, ReadQuery, TailQuery } from '../ledger.ts'
import type { Connection } from './connection.ts'

/** File events tell of other processes at once; where they fail, this does. */
const pollEvery = 2000

/** Tells when there may be something new: this process says so itself, others are seen by the files they write. */
export class Bell {
  readonly #connection: Connection
  readonly #waiting = new Set<() => void>()
  #listeners = 0
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #version: unknown

  constructor(connection: Connection) {
    this.#connection = connection
  }

  ring(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Until the bell rings next, or nobody wants to wait any longer. */
  wait(signal: AbortSignal): { readonly rung: Promise<void>; readonly cancel: () => void } {
    let cancel = (): void => {}
    const rung = new Promise<void>((resolve) => {
      cancel = (): void => {
        this.#waiting.delete(cancel)
        signal.removeEventListener('abort', cancel)
        resolve()
      }
      this.#waiting.add(cancel)
      signal.addEventListener('abort', cancel, { once: true })
      if (signal.aborted) cancel()
    })
    return { rung, cancel }
  }

  /** Looks at the files for as long as anybody listens. */
  listen(): void {
    if (this.#listeners++ > 0) return
    const { file } = this.#connection
    const name = basename(file)
    try {
      this.#watcher = watch(dirname(file), (_, changed) => {
        if (changed === null || changed.startsWith(name)) this.ring()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // No more watches to be had: the poll remains.
    }
    this.#version = this.#dataVersion()
    this.#timer = setInterval(() => this.#poll(), pollEvery)
  }

  unlisten(): void {
    if (--this.#listeners > 0) return
    this.#watcher?.close()
    this.#watcher = undefined
    clearInterval(this.#timer)
  }

  #poll(): void {
    const version = this.#dataVersion()
    if (version !== this.#version) this.ring()
    this.#version = version
  }

  #dataVersion(): unknown {
    const { database } = this.#connection
    return database.open ? database.pragma('data_version', { simple: true }) : undefined
  }
}

/** Pages without end, until the signal. */
export async function* tailPages(
  bell: Bell,
  read: (query: ReadQuery) => Page,
  { signal, ...query }: TailQuery,
): AsyncGenerator<Page, void, undefined> {
  bell.listen()
  try {
    let after: Cursor | undefined = query.after
    while (!signal.aborted) {
      // Before reading, so that what comes meanwhile is not missed.
      const { rung, cancel } = bell.wait(signal)
      const page = read({ ...query, ...(after ? { after } : {}) })
      after = page.cursor
      if (page.events.length > 0 || page.gap) {
        cancel()
        yield page
        continue
      }
      await rung
    }
  } finally {
    bell.unlisten()
  }
}
