import { setTimeout as sleep } from 'node:timers/promises'
import type { EventRecord } from '@remora/protocol/plain'
import type { AppendOptions } from '@remora/ledger'
import { FallbackAppend, StaleCacheError } from './fallback-append.ts'
import { type Connection, closeMs } from './connection.ts'
import { type KnownLoad, OptimisticAppend } from './optimistic-append.ts'
import { type Load, AppendQueue } from './append-queue.ts'
import { type Item, Names, toItems, listSessionKeys } from './items.ts'
import { SessionCache } from './session-cache.ts'
import { isMissingPartition, createPartitions } from './partitions.ts'
import { SourceCache } from './source-cache.ts'

export interface AppendOutcome {
  /** The number of new events. */
  readonly added: number
  /** The number of the last new event; if there was none, the highest number. */
  readonly head: number
}

export interface AppendLoad extends Load {
  readonly items: readonly Item[]
  readonly options: AppendOptions
  readonly done: (outcome: AppendOutcome | Promise<AppendOutcome>) => void
}

/**
 * Stores events, each append all or nothing. Appends whose sessions are cached share an optimistic transaction. If that
 * fails, or if nothing is cached, each append runs alone and reads first.
 */
export class Appender {
  readonly #connection: Connection
  readonly #sources: SourceCache
  readonly #fallback: FallbackAppend
  readonly #optimistic: OptimisticAppend
  readonly #names = new Names()
  readonly #unsettled = new Set<Promise<AppendOutcome>>()
  readonly #queue = new AppendQueue<AppendLoad>((loads) => this.#store(loads))

  constructor(connection: Connection) {
    this.#connection = connection
    this.#sources = new SourceCache(connection)
    const known = new SessionCache(connection)
    this.#fallback = new FallbackAppend(connection, known, this.#sources)
    this.#optimistic = new OptimisticAppend(connection, known, this.#sources)
  }

  append(records: readonly EventRecord[], options: AppendOptions): Promise<AppendOutcome> {
    const items = toItems(records, this.#names)
    const sessions = new Set(listSessionKeys(items).keys())
    const outcome = new Promise<AppendOutcome>((done) => {
      this.#queue.add({ items, sessions, size: items.length, options, done })
    })
    this.#unsettled.add(outcome)
    const settled = (): void => void this.#unsettled.delete(outcome)
    outcome.then(settled, settled)
    return outcome
  }

  /** Waits until pending appends are stored, but not for long. */
  async settle(): Promise<void> {
    await Promise.race([Promise.allSettled(this.#unsettled), sleep(closeMs, undefined, { ref: false })])
  }

  async #store(loads: readonly AppendLoad[]): Promise<void> {
    const known: KnownLoad[] = []
    const others: AppendLoad[] = []
    for (const load of loads) {
      const refs = this.#optimistic.findRefs(load.items, load.sessions)
      if (refs) known.push({ ...load, refs })
      else others.push(load)
    }
    await Promise.all([this.#storeBatch(known), ...others.map((load) => this.#storeAlone(load))])
  }

  async #storeBatch(loads: readonly KnownLoad[]): Promise<void> {
    if (loads.length === 0) return
    try {
      const outcomes = await this.#optimistic.append(loads)
      if (outcomes) {
        for (const [index, { done }] of loads.entries()) done(outcomes[index]!)
        return
      }
    } catch {
      // One of the appends may be at fault, which its own attempt will report. Or the batch was stored and only the
      // confirmation was lost: then the fallback finds the events and stores nothing twice.
      this.#connection.onWrite()
    }
    await Promise.all(loads.map((load) => this.#storeAlone(load)))
  }

  async #storeAlone({ items, options, done }: AppendLoad): Promise<void> {
    const outcome = this.#appendWithRetry(items, options)
    done(outcome)
    await outcome.catch(() => {})
  }

  async #appendWithRetry(items: readonly Item[], options: AppendOptions): Promise<AppendOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#fallback.append(items, options)
      } catch (error) {
        if (attempt === 3) throw error
        if (error instanceof StaleCacheError) this.#sources.clear()
        // Happens once a month.
        else if (isMissingPartition(error)) await this.#connection.write(createPartitions, { notify: false })
        else throw error
      }
    }
  }
}
