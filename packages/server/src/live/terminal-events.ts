import { randomUUID } from 'node:crypto'
import type { Ledger } from '@remora/ledger'
import { type EventFields, EventMaker } from '@remora/sdk/terminal'
import type { LiveRecord } from './live-record.ts'

/** The fields of an event. By default its entity is the session and its time is now. */
type TerminalFields = EventFields extends infer E
  ? E extends EventFields
    ? Omit<E, 'entity'> & { entity?: string; at?: number }
    : never
  : never

/** Stores the events of one live session that were read from its terminal. */
export class TerminalEvents {
  readonly #ledger: Pick<Ledger, 'append'>
  readonly #record: LiveRecord
  readonly #maker: EventMaker

  constructor(ledger: Pick<Ledger, 'append'>, record: LiveRecord) {
    this.#ledger = ledger
    this.#record = record
    // Each instance counts its keys from 1, so it needs its own source.
    const source = `${record.id}/${randomUUID().slice(0, 8)}`
    this.#maker = new EventMaker({ agent: record.agent, channel: 'terminal', source })
  }

  /** Stores the events of one refresh of the screen. @example await events.append({ type: 'status', status: 'idle' }) */
  async append(...fields: readonly TerminalFields[]): Promise<void> {
    if (fields.length === 0) return
    const maker = this.#maker
    maker.session = this.#record.session
    maker.next()
    const now = maker.at
    const events = fields.map(({ at = now, ...each }) => {
      maker.at = at
      return maker.make({ entity: maker.session, ...each })
    })
    await this.#ledger.append([{ events }])
  }
}
