import type { Block, Channel, Event, EventType } from '@remora/protocol/plain'

/** U+2060, put before a prompt to escape it: no CLI trims it, and it has no width. */
export const wordJoiner = '\u2060'

/** U+2800, the escape for CLIs that remove invisible characters: looks like a space, but no CLI trims it. */
export const brailleBlank = '\u2800'

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
  source: string
  /** The tool call under which a sub-agent does all that is told now. */
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
   * Begins the next record. Its events get this time, or the present one; its key is its number, unless it has a place
   * or an id of its own, and then the digest tells whether it changed there.
   */
  next(at?: number, key?: string, digest?: string): void {
    this.#record++
    this.#count = 0
    this.#key = key
    this.#digest = digest
    this.#at = at !== undefined && isTime(at) ? at : Date.now()
  }

  /** The time of the record, once it is known. */
  set at(at: number) {
    if (isTime(at)) this.#at = at
  }

  /** The digest with which the record was begun. */
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

  /** Takes the fields over and completes them: a copy would cost more than all the rest of reading a line. */
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
}

/** Removes the character that kept a prompt of ours from running as a command: the person did not write it. */
function removeEscape([first]: Block[] = []): void {
  if (first?.type !== 'text') return
  if (first.text.startsWith(wordJoiner) || first.text.startsWith(brailleBlank))
    first.text = first.text.slice(1)
}

/** The last millisecond of the year 9999: later times have no date that others can read. */
const lastMoment = 253_402_300_799_999

/** Whether a number that another program wrote can be a time. */
function isTime(at: number): boolean {
  return at >= 0 && at <= lastMoment
}

let lastText = ''
let lastTime: number | undefined

/** Milliseconds of an ISO time, if it is one. @example parseTime('2026-01-01T00:00:00Z') */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined
  // A stream says many things within one millisecond, and reading a date is dear.
  if (text === lastText) return lastTime
  const time = Date.parse(text)
  lastText = text
  lastTime = Number.isNaN(time) ? undefined : time
  return lastTime
}
