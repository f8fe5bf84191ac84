import type { Channel, Event, EventType } from '@remora/protocol'

/** What an event says of itself; the maker adds who, where and when. */
export type EventFields = Event extends infer E
  ? E extends { type: EventType }
    ? Omit<E, 'agent' | 'session' | 'origin' | 'at'>
    : never
  : never

/**
 * Makes the events of one source. Their keys are the record's number and their own within it, so that reading the
 * same source again gives the same origins.
 *
 * @example const maker = new EventMaker({ agent: 'gemini', channel: 'headless', source: runId })
 */
export class EventMaker {
  /** The agent's own id of the conversation, once it is known. */
  session: string
  readonly agent: string
  readonly source: string
  readonly #channel: Channel
  #record = 0
  #starts = 0
  #count = 0
  #at = 0

  constructor(origin: { agent: string; channel: Channel; source: string; session?: string }) {
    this.agent = origin.agent
    this.source = origin.source
    this.session = origin.session ?? ''
    this.#channel = origin.channel
  }

  /** Begins the next record. Its events get this time, or the present one. */
  next(at?: number): void {
    this.#record++
    this.#count = 0
    this.#at = at ?? Date.now()
  }

  /** Counts the starts of the agent within one run. */
  started(): number {
    return ++this.#starts
  }

  /** Takes the fields over and completes them: a copy would cost more than all the rest of reading a line. */
  make(fields: EventFields): Event {
    const event = fields as Event
    event.agent = this.agent
    event.session = this.session
    event.origin = { channel: this.#channel, source: this.source, key: `${this.#record}.${this.#count++}` }
    event.at = this.#at
    return event
  }
}

let lastText = ''
let lastTime: number | undefined

/** Milliseconds of an ISO time, if it is one. @example timeOf('2026-01-01T00:00:00Z') */
export function timeOf(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined
  // A stream says many things within one millisecond, and reading a date is dear.
  if (text === lastText) return lastTime
  const time = Date.parse(text)
  lastText = text
  lastTime = Number.isNaN(time) ? undefined : time
  return lastTime
}
