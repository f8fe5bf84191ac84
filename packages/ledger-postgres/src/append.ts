import { setTimeout as sleep } from 'node:timers/promises'
import type { EventRecord } from '@remora/protocol/plain'
import type { AppendOptions } from '@remora/ledger'
import { CarefulAppend, Outdated } from './careful-append.ts'
import { type Connection, closeMs } from './connection.ts'
import { type KnownLoad, ForeseenAppend } from './foreseen-append.ts'
import { type Load, Gathering } from './gathering.ts'
import { type Item, Names, itemsOf, keysOf } from './items.ts'
import { KnownSessions } from './known-sessions.ts'
import { lacksPartition, makePartitions } from './partitions.ts'
import { KnownPlaces } from './places.ts'

export interface Outcome {
  /** How many events were new. */
  readonly added: number
  /** The number of the last one; where none was new, the highest there is. */
  readonly head: number
}

/** One append on its way. */
export interface AppendLoad extends Load {
  readonly items: readonly Item[]
  readonly options: AppendOptions
  readonly done: (outcome: Outcome | Promise<Outcome>) => void
}

/**
 * Stores events, each append all of it or nothing. What comes at once shares a transaction, if it is known how it will be
 * stored; where that is not known, or was wrong, each goes by itself and asks first.
 */
export class Appender {
  readonly #connection: Connection
  readonly #places: KnownPlaces
  readonly #careful: CarefulAppend
  readonly #foreseen: ForeseenAppend
  readonly #names = new Names()
  readonly #unsettled = new Set<Promise<Outcome>>()
  readonly #gathering = new Gathering<AppendLoad>((loads) => this.#store(loads))

  constructor(connection: Connection) {
    this.#connection = connection
    this.#places = new KnownPlaces(connection)
    const known = new KnownSessions(connection)
    this.#careful = new CarefulAppend(connection, known, this.#places)
    this.#foreseen = new ForeseenAppend(connection, known, this.#places)
  }

  append(records: readonly EventRecord[], options: AppendOptions): Promise<Outcome> {
    const items = itemsOf(records, this.#names)
    const sessions = new Set(keysOf(items).keys())
    const outcome = new Promise<Outcome>((done) => {
      this.#gathering.add({ items, sessions, size: items.length, options, done })
    })
    this.#unsettled.add(outcome)
    const settled = (): void => void this.#unsettled.delete(outcome)
    outcome.then(settled, settled)
    return outcome
  }

  /** Until all is stored that was given so far; but not for long. */
  async settle(): Promise<void> {
    await Promise.race([Promise.allSettled(this.#unsettled), sleep(closeMs, undefined, { ref: false })])
  }

  async #store(loads: readonly AppendLoad[]): Promise<void> {
    const known: KnownLoad[] = []
    const others: AppendLoad[] = []
    for (const load of loads) {
      const places = this.#foreseen.places(load.items, load.sessions)
      if (places) known.push({ ...load, places })
      else others.push(load)
    }
    await Promise.all([this.#together(known), ...others.map((load) => this.#alone(load))])
  }

  async #together(loads: readonly KnownLoad[]): Promise<void> {
    if (loads.length === 0) return
    try {
      const outcomes = await this.#foreseen.append(loads)
      if (outcomes) {
        for (const [index, { done }] of loads.entries()) done(outcomes[index]!)
        return
      }
    } catch {
      // It may be the fault of one of them, which is then told by itself. Or it was stored and could not be waited for, or the
      // connection was lost and nobody knows: who asks first stores nothing twice, and does not tell of what is there.
      this.#connection.onWrite()
    }
    await Promise.all(loads.map((load) => this.#alone(load)))
  }

  async #alone({ items, options, done }: AppendLoad): Promise<void> {
    const outcome = this.#carefully(items, options)
    done(outcome)
    await outcome.catch(() => {})
  }

  async #carefully(items: readonly Item[], options: AppendOptions): Promise<Outcome> {
    for (let turn = 1; ; turn++) {
      try {
        return await this.#careful.append(items, options)
      } catch (error) {
        if (turn === 3) throw error
        if (error instanceof Outdated) this.#places.clear()
        // Once a month, for the first who comes.
        else if (lacksPartition(error)) await this.#connection.write(makePartitions, { notify: false })
        else throw error
      }
    }
  }
}
