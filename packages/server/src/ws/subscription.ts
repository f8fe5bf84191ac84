import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import { type Cursor, formatCursor } from '@remora/protocol'
import type { Broadcast, Listener } from './broadcast.ts'
import { PageFrames, type EventFilter } from './page-frames.ts'
import type { Outbox } from './outbox.ts'

const pageEvents = 200

export interface SubscriptionOptions {
  readonly ledger: Ledger
  readonly broadcast: Broadcast
  readonly outbox: Outbox
  readonly filter: EventFilter
  /** The position to start after; undefined for the end of the ledger. */
  readonly cursor?: Cursor | undefined
  readonly onError: (error: unknown) => void
}

/**
 * Sends every event after a cursor once, in order. While the client is behind, it reads page by page from the ledger;
 * at the end it joins the broadcast, and leaves it when the client falls behind again.
 */
export class Subscription implements Listener {
  readonly #options: SubscriptionOptions
  #cursor: Cursor
  #isAnnounced = false
  #closed = false

  constructor(options: SubscriptionOptions) {
    this.#options = options
    this.#cursor = options.cursor ?? options.broadcast.cursor
    this.#start()
  }

  take(frames: PageFrames): void {
    const { broadcast, outbox, filter } = this.#options
    if (outbox.behind) {
      broadcast.leave(this)
      this.#start()
      return
    }
    for (const frame of frames.frames(filter, this.#cursor.seq)) outbox.put(frame)
    if (frames.page.cursor.seq > this.#cursor.seq) this.#cursor = frames.page.cursor
  }

  close(): void {
    this.#closed = true
    this.#options.broadcast.leave(this)
  }

  #start(): void {
    this.#catchUp().catch((error: unknown) => {
      if (!this.#closed) this.#options.onError(error)
    })
  }

  async #catchUp(): Promise<void> {
    const { ledger, broadcast, outbox, filter } = this.#options
    while (!this.#closed) {
      const { epoch, seq } = this.#cursor
      if (epoch === broadcast.cursor.epoch && seq === broadcast.cursor.seq) break
      const { session } = filter
      const page = await ledger.read({
        after: this.#cursor,
        limit: pageEvents,
        ...(session ? { session } : {}),
      })
      for (const frame of new PageFrames(page).frames(filter)) {
        if (this.#closed || !(await outbox.send(frame))) return
      }
      this.#cursor = page.cursor
      // Sockets with free buffers never wait, so many clients that catch up would block the event loop.
      await yieldToLoop()
      // The broadcast may be behind for a moment: `take` skips the events that were sent already.
      if (page.cursor.seq >= broadcast.cursor.seq) break
    }
    if (this.#closed) return
    broadcast.join(this)
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    outbox.put(JSON.stringify({ type: 'current', id: filter.id, cursor: formatCursor(this.#cursor) }))
  }
}
