import type { Event, EventSink } from '@remora/protocol/plain'
import type { EventFields, EventMaker } from '../../../events/event-maker.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { Deliveries } from '../deliveries.ts'
import type { AcpReader } from '../reading/read-update.ts'
import { toUnknownFields } from '../reading/failed-fields.ts'

/** Converts the messages between an editor and an agent to events, in their order. */
export class RelayRecord {
  readonly #maker: EventMaker
  readonly #reader: AcpReader
  readonly #deliveries: Deliveries
  readonly #sessions = new Set<string>()
  /** Messages before the first session. */
  #early: Event[] = []
  #lines = 0

  constructor(
    maker: EventMaker,
    reader: AcpReader,
    sink: EventSink | undefined,
    failed: (error: unknown) => void,
  ) {
    this.#maker = maker
    this.#reader = reader
    this.#deliveries = new Deliveries(sink, { take() {}, busy() {}, failed })
  }

  /** Resolves when the sink has all events so far. */
  get idle(): Promise<void> {
    return this.#deliveries.idle
  }

  /** Whether there are events of a session. */
  has(session: string): boolean {
    return this.#sessions.has(session)
  }

  /** Records one message. A message unknown to the reader is recorded by the remark, or as `unknown`. */
  message(from: 'client' | 'agent', message: AgentRecord, remark?: string): Event[] {
    const known = this.#reader.read({ from, message })
    const events = known ?? [
      this.#maker.make(
        remark === undefined ? toUnknownFields(this.#maker.source, message) : this.#remark(remark),
      ),
    ]
    if (!known) events[0]!.raw = message
    return this.#deliver(events)
  }

  /** Records a line that is not a message. */
  noise(from: 'client' | 'agent', line: string): void {
    this.#maker.next(undefined, `line${++this.#lines}${from === 'client' ? 'c' : 'a'}`)
    this.#deliver([this.#maker.make(toUnknownFields(this.#maker.source, line))])
  }

  /** Records the end of the agent, with a message if it was unexpected. */
  ended(message?: string): void {
    for (const session of this.#sessions) {
      this.#maker.session = session
      this.#maker.next(undefined, `end/${session}`)
      const entity = `${this.#maker.source}/error/ended`
      const failure: EventFields[] =
        message === undefined ? [] : [{ type: 'error', entity, code: 'crashed', message, severity: 'error' }]
      const fields: EventFields[] = [...failure, { type: 'status', entity: session, status: 'ended' }]
      this.#deliver(fields.map((each) => this.#maker.make(each)))
    }
  }

  #remark(detail: string): EventFields {
    return { type: 'status', entity: `${this.#maker.source}/wire`, status: 'working', detail }
  }

  #deliver(events: Event[]): Event[] {
    const { session } = this.#maker
    if (session === '') {
      this.#early.push(...events)
      return events
    }
    for (const event of events) this.#sessions.add(event.session)
    this.#deliveries.add(events)
    if (this.#early.length === 0) return events
    const early = this.#early
    this.#early = []
    for (const event of early) event.session = session
    this.#deliveries.add(early)
    return events
  }
}
