import type { Block, Channel, Event, EventType } from '@remora/protocol/plain'

/** U+2060, put before a prompt to escape it: no CLI trims it, and it has no width. */
export const wordJoiner = '\u2060'

/** U+2800, the escape for CLIs that remove invisible characters: looks like a space, but no CLI trims it. */
export const brailleBlank = '\u2800'

/** The fields of an event that its reader sets. The maker adds agent, session, origin and time. */
export type EventFields = Event extends infer E
  ? E extends { type: EventType }
    ? Omit<E, 'agent' | 'session' | 'origin' | 'at'>
    : never
  : never

/**
 * Makes the events of one source. An event's key is the number of its record and its own number in the record, so that
 * reading the same source again gives the same origins.
 *
 * @example const maker = new EventMaker({ agent: 'gemini', channel: 'headless', source: runId })
 */
export class EventMaker {
  /** The native session id, once it is known. */
  session: string
  readonly agent: string
  source: string
  /** The tool call that started the subagent whose events are being made. */
  parent: string | undefined
  readonly #channel: Channel
  #record = 0
  #key: string | undefined
  #digest: string | undefined
  #starts = 0
  #count = 0
  #at = 0

  constructor(origin: { agent: string; channel: Channel; source: string; session?: string }) {
    this.agent = origin.agent
    this.source = origin.source
    this.session = origin.session ?? ''
    this.#channel = origin.channel
  }

  /**
   * Begins the next record. Its events get this time, or the current time. The record's key is its number, unless the
   * source gives it an offset or id; then the digest shows whether the record has changed.
   */
  next(at?: number, key?: string, digest?: string): void {
    this.#record++
    this.#count = 0
    this.#key = key
    this.#digest = digest
    this.#at = at !== undefined && isTime(at) ? at : Date.now()
  }

  /** Sets the time of the record, for readers that learn it later. */
  set at(at: number) {
    if (isTime(at)) this.#at = at
  }

  /** The digest passed to `next`. */
  get digest(): string | undefined {
    return this.#digest
  }

  get at(): number {
    return this.#at
  }

  /** Counts the starts of the agent within one run. */
  started(): number {
    return ++this.#starts
  }

  /** Completes the fields in place, because copying them would cost more than reading the line. */
  make(fields: EventFields): Event {
    const event = fields as Event
    if (event.type === 'message' && event.role === 'user') removeEscape(event.content)
    event.agent = this.agent
    event.session = this.session
    event.origin = {
      channel: this.#channel,
      source: this.source,
      key: `${this.#key ?? this.#record}.${this.#count++}`,
    }
    if (this.#digest !== undefined) event.origin.digest = this.#digest
    if (this.parent !== undefined) event.parent ??= this.parent
    event.at = this.#at
    return event
  }

  /** Makes the only event of a record. Its key is the key of the record, without a number. */
  makeOnly(fields: EventFields): Event {
    const event = this.make(fields)
    event.origin.key = this.#key ?? String(this.#record)
    return event
  }
}

/** Removes the character that Remora added to keep a prompt from running as a command. */
function removeEscape([first]: Block[] = []): void {
  if (first?.type !== 'text') return
  if (first.text.startsWith(wordJoiner) || first.text.startsWith(brailleBlank))
    first.text = first.text.slice(1)
}

/** The last millisecond of the year 9999, because later dates are not valid in ISO 8601. */
const lastMoment = 253_402_300_799_999

/** Whether a number from another program is a valid time. */
function isTime(at: number): boolean {
  return at >= 0 && at <= lastMoment
}

let lastText = ''
let lastTime: number | undefined

/** Parses an ISO 8601 time to milliseconds. @example parseTime('2026-01-01T00:00:00Z') */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined
  // Many records of a stream have the same time, and parsing a date is expensive.
  if (text === lastText) return lastTime
  const time = Date.parse(text)
  lastText = text
  lastTime = Number.isNaN(time) ? undefined : time
  return lastTime
}
