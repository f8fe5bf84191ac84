import type { EventRecord } from '@remora/protocol/plain'
import type { Lease, Ledger } from '@remora/ledger'
import { type FileMark, markName } from './marks.ts'

/** As much as is stored in one transaction: others wait that long, and more would be hardly faster. */
const most = 1.5 * 1024 * 1024

/**
 * Records on their way into the ledger, with how far they reach in their files. Both are stored together, so that a
 * crash loses and doubles nothing, and many small files in one go.
 */
export class Pending {
  /** How many events were new. */
  added = 0
  readonly #ledger: Ledger
  readonly #lease: Lease | undefined
  #records: EventRecord[] = []
  #marks: Record<string, FileMark> = {}
  #size = 0

  constructor(ledger: Ledger, lease?: Lease) {
    this.#ledger = ledger
    this.#lease = lease
  }

  async add(path: string, mark: FileMark, records: readonly EventRecord[]): Promise<void> {
    this.#marks[markName(path)] = mark
    for (const record of records) {
      this.#records.push(record)
      this.#size += record.raw?.length ?? 1000
    }
    if (this.#size >= most) await this.flush()
  }

  async flush(): Promise<void> {
    const marks = this.#marks
    if (Object.keys(marks).length === 0) return
    const { added } = await this.#ledger.append(this.#records, {
      marks,
      ...(this.#lease ? { lease: this.#lease } : {}),
    })
    this.added += added
    this.#records = []
    this.#marks = {}
    this.#size = 0
  }
}
