import type { EventRecord } from '@remora/protocol/plain'
import type { Lease, Ledger } from '@remora/ledger'
import { type FileMark, markName } from './marks.ts'

/** The size of one transaction. Other processes wait for it, and a larger one would hardly be faster. */
const most = 1024 * 1024

/**
 * Records to be stored, with the positions reached in their files. Both are stored in one transaction, so that a crash
 * neither loses nor duplicates records. Many small files share a transaction.
 */
export class Pending {
  /** The number of new events. */
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
