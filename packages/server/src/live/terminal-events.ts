import { randomUUID } from 'node:crypto'
import type { Ledger } from '@remora/ledger'
import type { Event, EventType } from '@remora/protocol'
import type { LiveRecord } from './live-record.ts'

type Fields = Event extends infer E
  ? E extends { type: EventType }
    ? Omit<E, 'agent' | 'session' | 'origin' | 'at' | 'entity'> & { entity?: string; at?: number }
    : never
  : never

/** Stores events that were read on a terminal. */
export class TerminalEvents {
  readonly #ledger: Pick<Ledger, 'append'>
  readonly #record: LiveRecord
  /** Unique for each watch, because each counts its keys from 1. */
  readonly #source: string
  #count = 0

  constructor(ledger: Pick<Ledger, 'append'>, record: LiveRecord) {
    this.#ledger = ledger
    this.#record = record
    this.#source = `${record.id}/${randomUUID().slice(0, 8)}`
  }

  /** Stores the events of one refresh of the screen. @example await events.append({ type: 'status', status: 'idle' }) */
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
