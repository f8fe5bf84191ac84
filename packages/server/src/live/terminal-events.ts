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

  /** Stores what one look at the screen gave. @example await events.tell({ type: 'status', status: 'idle' }) */
  async tell(...told: readonly Fields[]): Promise<void> {
    if (told.length === 0) return
    const { agent, session } = this.#record
    const at = Date.now()
    const look = ++this.#count
    const events = told.map((fields, index): Event => ({
      entity: session,
      at,
      ...fields,
      agent,
      session,
      origin: { channel: 'terminal', source: this.#source, key: `${look}.${index}` },
    }))
    await this.#ledger.append([{ events }])
  }
}
