import type { Cursor } from '@remora/protocol'
import type { SessionKey } from '@remora/ledger'
import { type Change, noChange } from './folded-session.ts'
import type { FoldedSessions } from './folded-sessions.ts'
import type { Outbox } from './outbox.ts'

/** So many are usual for a screen and a little more. */
const usualLast = 60
/** A change that is longer is told as the end anew; who wants the rest asks for it. */
const mostAtOnce = 500

export interface FollowingOptions {
  readonly sessions: FoldedSessions
  readonly outbox: Outbox
  readonly id: string
  readonly key: SessionKey
  readonly last?: number | undefined
  /** What the client has; undefined for nothing. */
  readonly cursor?: Cursor | undefined
  readonly onError: (error: unknown) => void
}

/**
 * One client that follows one session. It has one frame under way at a time: what changes meanwhile is told together,
 * so that a slow client costs a frame and no more.
 */
export class Following {
  readonly #options: FollowingOptions
  readonly #leave: () => void
  readonly #folded
  #forget: (() => void) | undefined
  #due: Change | 'whole' | undefined
  #sending = false
  #closed = false

  constructor(options: FollowingOptions) {
    this.#options = options
    const { folded, leave } = options.sessions.use(options.key)
    this.#folded = folded
    this.#leave = leave
    this.#begin().catch((error: unknown) => {
      if (!this.#closed) options.onError(error)
    })
  }

  close(): void {
    this.#closed = true
    this.#forget?.()
    this.#leave()
  }

  async #begin(): Promise<void> {
    await this.#folded.ready
    if (this.#closed) return
    this.#forget = this.#folded.follow((change) => this.#changed(change))
    const { cursor } = this.#options
    this.#changed(cursor && this.#folded.isCurrent(cursor) ? noChange : 'whole')
  }

  #changed(change: Change | 'whole'): void {
    const { length } = this.#folded.messages
    const due = this.#due
    const isWhole =
      change === 'whole' || due === 'whole' || Math.min(length, change.to) - change.from > mostAtOnce
    this.#due = isWhole
      ? 'whole'
      : { from: Math.min(change.from, due?.from ?? Infinity), to: Math.max(change.to, due?.to ?? -1) }
    if (this.#sending) return
    this.#sending = true
    this.#sendSoon()
  }

  /** All followers of a session have something to send at the same time. */
  #sendSoon(): void {
    this.#options.sessions.slices.add(() => this.#send())
  }

  #send(): void {
    const due = this.#due
    if (!due || this.#closed) {
      this.#sending = false
      return
    }
    this.#due = undefined
    void this.#options.outbox.send(this.#frame(due)).then((isSent) => {
      // A client that is gone is sent nothing more.
      if (isSent) this.#sendSoon()
    })
  }

  #frame(due: Change | 'whole'): Buffer {
    const { id, last = usualLast } = this.#options
    const { frames, messages, cursor } = this.#folded
    const total = messages.length
    const isWhole = due === 'whole'
    const from = isWhole ? Math.max(0, total - last) : Math.min(due.from, total)
    const to = isWhole ? total : Math.min(due.to, total)
    return frames.get({ id, from, to, isWhole }, cursor)
  }
}
