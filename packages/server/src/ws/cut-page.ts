import type { Page, SessionKey, StoredEvent } from '@remora/ledger'
import { formatCursor } from '@remora/protocol'
import { lean } from '../core/messages.ts'

/** A frame is about this long, so that a slow client shows progress; a longer event is a frame by itself. */
const frameBytes = 256_000

/** Which events a subscription wants, and what it calls itself. */
export interface Wanted {
  readonly id: string
  readonly session?: SessionKey | undefined
  readonly raw?: boolean | undefined
}

/** One page of the ledger as frames. Every event is written once, and every frame once for all who want the same. */
export class CutPage {
  readonly page: Page
  readonly #texts = new Map<string, string>()
  readonly #frames = new Map<string, Buffer[]>()

  constructor(page: Page) {
    this.page = page
  }

  /** The frames with what comes after a place; none if there is nothing for this one. */
  frames(wanted: Wanted, after = 0): readonly Buffer[] {
    const { id, session, raw } = wanted
    const key = JSON.stringify([id, session?.agent, session?.session, raw, after >= this.#first ? after : 0])
    const known = this.#frames.get(key)
    if (known) return known
    const frames = this.#cut(wanted, after)
    this.#frames.set(key, frames)
    return frames
  }

  get #first(): number {
    return this.page.events[0]?.seq ?? Infinity
  }

  #cut({ id, session, raw = false }: Wanted, after: number): Buffer[] {
    const { cursor, gap } = this.page
    const chosen = this.page.events.filter(
      ({ seq, event }) =>
        seq > after && (!session || (event.session === session.session && event.agent === session.agent)),
    )
    if (chosen.length === 0 && !gap) return []
    const frames: Buffer[] = []
    let texts: string[] = []
    let length = 0
    const close = (seq: number): void => {
      const at = JSON.stringify(formatCursor({ epoch: cursor.epoch, seq }))
      const forget = gap && frames.length === 0 ? ',"gap":true' : ''
      const events = texts.join(',')
      frames.push(
        Buffer.from(
          `{"type":"events","id":${JSON.stringify(id)},"events":[${events}],"cursor":${at}${forget}}`,
        ),
      )
      texts = []
      length = 0
    }
    for (const [index, stored] of chosen.entries()) {
      const text = this.#text(stored, raw)
      texts.push(text)
      length += text.length
      if (length >= frameBytes && index < chosen.length - 1) close(stored.seq)
    }
    close(cursor.seq)
    return frames
  }

  #text(stored: StoredEvent, raw: boolean): string {
    const key = `${stored.seq}${raw ? 'r' : ''}`
    let text = this.#texts.get(key)
    if (text === undefined) {
      const { seq, event } = raw ? stored : lean(stored)
      text = `{"seq":${seq},"event":${JSON.stringify(event)}}`
      this.#texts.set(key, text)
    }
    return text
  }
}
