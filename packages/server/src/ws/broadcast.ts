import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import type { Cursor } from '@remora/protocol'
import type { Log } from '../core/log.ts'
import { PageFrames } from './page-frames.ts'

/** Receives each new page as soon as it is stored. */
export interface Listener {
  take(frames: PageFrames): void
}

const retryMs = 1000

/** Tails the ledger once for all clients, so that a new event is read and encoded once. */
export class Broadcast {
  readonly #ledger: Ledger
  readonly #log: Log
  readonly #signal: AbortSignal
  readonly #listeners = new Set<Listener>()
  #cursor: Cursor
  /** Settles when the reader has ended. */
  readonly ended: Promise<void>

  private constructor(ledger: Ledger, cursor: Cursor, log: Log, signal: AbortSignal) {
    this.#ledger = ledger
    this.#cursor = cursor
    this.#log = log
    this.#signal = signal
    this.ended = this.#run()
  }

  static async start(ledger: Ledger, log: Log, signal: AbortSignal): Promise<Broadcast> {
    return new Broadcast(ledger, await ledger.head(), log, signal)
  }

  /** The position up to which listeners received every event. */
  get cursor(): Cursor {
    return this.#cursor
  }

  join(listener: Listener): void {
    this.#listeners.add(listener)
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  async #run(): Promise<void> {
    const signal = this.#signal
    while (!signal.aborted) {
      try {
        for await (const page of this.#ledger.tail({ after: this.#cursor, signal })) {
          this.#cursor = page.cursor
          if (this.#listeners.size === 0) continue
          const frames = new PageFrames(page)
          for (const listener of this.#listeners) listener.take(frames)
        }
      } catch (error) {
        if (signal.aborted) return
        this.#log('error', 'Cannot read the ledger; retrying', { why: String(error) })
        await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }
}
