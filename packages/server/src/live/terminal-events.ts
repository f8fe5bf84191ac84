import { randomUUID } from 'node:crypto'
import type { Ledger } from '@remora/ledger'
import type { Event, EventType } from '@remora/protocol'
import type { LiveRecord } from './live-record.ts'

type Fields = Event extends infer E
  ? E extends { type: EventType }
    ? Omit<E, 'agent' | 'session' | 'origin' | 'at' | 'entity'> & { entity?: string; at?: number }
    : never
  : never

/** Tells the ledger what was seen on a terminal. */
export class TerminalEvents {
  readonly #ledger: Pick<Ledger, 'append'>
  readonly #record: LiveRecord
  /** Each watch counts from its beginning, and nothing of it may be taken for something of the one before. */
  readonly #source: string
  #count = 0

  constructor(ledger: Pick<Ledger, 'append'>, record: LiveRecord) {
    this.#ledger = ledger
    this.#record = record
    this.#source = `${record.id}/${randomUUID().slice(0, 8)}`
  }

  /** Stores what one look at the screen gave. @example await events.append({ type: 'status', status: 'idle' }) */
  async append(...fields: readonly Fields[]): Promise<void> {
    if (fields.length === 0) return
    const { agent, session } = this.#record
    const at = Date.now()
    const batch = ++this.#count
    const events = fields.map((each, index): Event => ({
      entity: session,
      at,
      ...each,
      agent,
      session,
      origin: { channel: 'terminal', source: this.#source, key: `${batch}.${index}` },
    }))
    await this.#ledger.append([{ events }])
  }
}
