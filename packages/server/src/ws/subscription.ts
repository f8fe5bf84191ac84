import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import { type Cursor, formatCursor } from '@remora/protocol'
import type { Broadcast, Listener } from './broadcast.ts'
import { CutPage, type Wanted } from './cut-page.ts'
import type { Outbox } from './outbox.ts'

const pageEvents = 200

export interface SubscriptionOptions {
  readonly ledger: Ledger
  readonly broadcast: Broadcast
  readonly outbox: Outbox
  readonly wanted: Wanted
  /** Where to begin; undefined for now. */
  readonly cursor?: Cursor | undefined
  readonly onError: (error: unknown) => void
}

/**
 * Everything after a cursor in order, each event once. While it is behind, it reads pages from the ledger at the
 * client's pace, one at a time; at the end it joins the others, and leaves them again if the client gets behind.
 */
export class Subscription implements Listener {
  readonly #options: SubscriptionOptions
  #cursor: Cursor
  #told = false
  #closed = false

  constructor(options: SubscriptionOptions) {
    this.#options = options
    this.#cursor = options.cursor ?? options.broadcast.cursor
    this.#begin()
  }

  take(cut: CutPage): void {
    const { broadcast, outbox, wanted } = this.#options
    if (outbox.behind) {
      broadcast.leave(this)
      this.#begin()
      return
    }
    for (const frame of cut.frames(wanted, this.#cursor.seq)) outbox.put(frame)
    if (cut.page.cursor.seq > this.#cursor.seq) this.#cursor = cut.page.cursor
  }

  close(): void {
    this.#closed = true
    this.#options.broadcast.leave(this)
  }

  #begin(): void {
    this.#catchUp().catch((error: unknown) => {
      if (!this.#closed) this.#options.onError(error)
    })
  }

  async #catchUp(): Promise<void> {
    const { ledger, broadcast, outbox, wanted } = this.#options
    while (!this.#closed) {
      const { epoch, seq } = this.#cursor
      if (epoch === broadcast.cursor.epoch && seq === broadcast.cursor.seq) break
      const { session } = wanted
      const page = await ledger.read({
        after: this.#cursor,
        limit: pageEvents,
        ...(session ? { session } : {}),
      })
      for (const frame of new CutPage(page).frames(wanted)) {
        if (this.#closed || !(await outbox.send(frame))) return
      }
      this.#cursor = page.cursor
      // Sockets with room take frames at once, so many clients that catch up could keep the event loop for long.
      await yieldToOthers()
      // The broadcast may be behind us for a moment: then it skips what we have.
      if (page.cursor.seq >= broadcast.cursor.seq) break
    }
    if (this.#closed) return
    broadcast.join(this)
    if (this.#told) return
    this.#told = true
    outbox.put(JSON.stringify({ type: 'current', id: wanted.id, cursor: formatCursor(this.#cursor) }))
  }
}
