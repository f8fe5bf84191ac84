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

  make(fields: EventFields): Event {
    const key = `${this.#record}.${this.#count++}`
    return {
      ...fields,
      agent: this.agent,
      session: this.session,
      origin: { channel: this.#channel, source: this.source, key },
      at: this.#at,
    }
  }
}

/** Milliseconds of an ISO time, if it is one. @example timeOf('2026-01-01T00:00:00Z') */
export function timeOf(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
