import type { Ledger } from '../model/ledger.ts'

export interface EngineOptions {
  readonly now?: () => number
  readonly node?: string
}

/** An engine under test. */
export interface Engine {
  /** Returns a new location without a ledger: a file or a URL. */
  place(): Promise<string>
  open(place: string, options?: EngineOptions): Promise<Ledger>
  /** A module that exports `open`, for other processes. */
  readonly module: string
}

/** Closes the ledgers that a test opens. */
export class Bench {
  readonly engine: Engine
  readonly #ledgers: Ledger[] = []

  constructor(engine: Engine) {
    this.engine = engine
  }

  async open(place?: string, options?: EngineOptions): Promise<Ledger> {
    const ledger = await this.engine.open(place ?? (await this.engine.place()), options)
    this.#ledgers.push(ledger)
    return ledger
  }

  async clear(): Promise<void> {
    for (const ledger of this.#ledgers.splice(0)) await ledger.close()
  }
}
