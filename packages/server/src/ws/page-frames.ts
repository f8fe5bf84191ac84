import type { Page, SessionKey, StoredEvent } from '@remora/ledger'
import { formatCursor } from '@remora/protocol'
import { removeRaw } from '../core/messages.ts'

/** The length at which a frame is sent, so that a slow client shows progress; a longer event is one frame. */
const frameBytes = 256_000

/** The events of one subscription, and its id. */
export interface EventFilter {
  readonly id: string
  readonly session?: SessionKey | undefined
  readonly raw?: boolean | undefined
}

/** One page of the ledger as frames: each event is encoded once, and equal filters share their frames. */
export class PageFrames {
  readonly page: Page
  readonly #texts = new Map<string, string>()
  readonly #frames = new Map<string, Buffer[]>()

  constructor(page: Page) {
    this.page = page
  }

  /** Returns the frames with the matching events after a sequence number; none if no event matches. */
  frames(filter: EventFilter, after = 0): readonly Buffer[] {
    const { id, session, raw } = filter
    const key = JSON.stringify([id, session?.agent, session?.session, raw, after >= this.#first ? after : 0])
    const cached = this.#frames.get(key)
    if (cached) return cached
    const frames = this.#encode(filter, after)
    this.#frames.set(key, frames)
    return frames
  }

  get #first(): number {
    return this.page.events[0]?.seq ?? Infinity
  }

  #encode({ id, session, raw = false }: EventFilter, after: number): Buffer[] {
    const { cursor, gap } = this.page
    const matching = this.page.events.filter(
      ({ seq, event }) =>
        seq > after && (!session || (event.session === session.session && event.agent === session.agent)),
    )
    if (matching.length === 0 && !gap) return []
    const frames: Buffer[] = []
    let texts: string[] = []
    let length = 0
    const close = (seq: number): void => {
      const at = JSON.stringify(formatCursor({ epoch: cursor.epoch, seq }))
      const gapField = gap && frames.length === 0 ? ',"gap":true' : ''
      const events = texts.join(',')
      frames.push(
        Buffer.from(
          `{"type":"events","id":${JSON.stringify(id)},"events":[${events}],"cursor":${at}${gapField}}`,
        ),
      )
      texts = []
      length = 0
    }
    for (const [index, stored] of matching.entries()) {
      const text = this.#text(stored, raw)
      texts.push(text)
      length += text.length
      if (length >= frameBytes && index < matching.length - 1) close(stored.seq)
    }
    close(cursor.seq)
    return frames
  }

  #text(stored: StoredEvent, raw: boolean): string {
    const key = `${stored.seq}${raw ? 'r' : ''}`
    let text = this.#texts.get(key)
    if (text === undefined) {
      const { seq, event } = raw ? stored : removeRaw(stored)
      text = `{"seq":${seq},"event":${JSON.stringify(event)}}`
      this.#texts.set(key, text)
    }
    return text
  }
}
