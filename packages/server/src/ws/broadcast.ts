import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import type { Cursor } from '@remora/protocol'
import type { Log } from '../core/log.ts'
import { CutPage } from './cut-page.ts'

/** Takes what is new, at once. */
export interface Listener {
  take(page: CutPage): void
}

const againMs = 1000

/**
 * One reader at the end of the ledger for all clients: what is new is read once, written once, and handed to everybody
 * in the turn in which it was stored.
 */
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

  /** Up to where everything was handed out. */
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
          const cut = new CutPage(page)
          for (const listener of this.#listeners) listener.take(cut)
        }
      } catch (error) {
        if (signal.aborted) return
        this.#log('error', 'the ledger could not be read; trying again', { why: String(error) })
        await sleep(againMs, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }
}
