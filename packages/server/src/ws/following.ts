import type { Cursor } from '@remora/protocol'
import type { SessionKey } from '@remora/ledger'
import { type Change, noChange } from './folded-session.ts'
import type { FoldedSessions } from './folded-sessions.ts'
import type { Outbox } from './outbox.ts'

/** The messages that fill a screen, and a little more. */
const defaultLast = 60
/** A longer change is sent as the last messages again; the client loads the rest on demand. */
const maxChange = 500

export interface FollowingOptions {
  readonly sessions: FoldedSessions
  readonly outbox: Outbox
  readonly id: string
  readonly key: SessionKey
  readonly last?: number | undefined
  /** The cursor of the client's messages; undefined if it has none. */
  readonly cursor?: Cursor | undefined
  readonly onError: (error: unknown) => void
}

/**
 * One client that follows one session. Only one frame is in flight, and changes in the meantime are merged into the
 * next, so that a slow client costs one frame of memory.
 */
export class Following {
  readonly #options: FollowingOptions
  readonly #leave: () => void
  readonly #folded
  #unfollow: (() => void) | undefined
  #due: Change | 'whole' | undefined
  #sending = false
  #closed = false

  constructor(options: FollowingOptions) {
    this.#options = options
    const { folded, leave } = options.sessions.use(options.key)
    this.#folded = folded
    this.#leave = leave
    this.#start().catch((error: unknown) => {
      if (!this.#closed) options.onError(error)
    })
  }

  close(): void {
    this.#closed = true
    this.#unfollow?.()
    this.#leave()
  }

  async #start(): Promise<void> {
    await this.#folded.ready
    if (this.#closed) return
    this.#unfollow = this.#folded.follow((change) => this.#add(change))
    const { cursor } = this.#options
    this.#add(cursor && this.#folded.isCurrent(cursor) ? noChange : 'whole')
  }

  #add(change: Change | 'whole'): void {
    const { total } = this.#folded
    const due = this.#due
    const isWhole =
      change === 'whole' || due === 'whole' || Math.min(total, change.to) - change.from > maxChange
    this.#due = isWhole
      ? 'whole'
      : { from: Math.min(change.from, due?.from ?? Infinity), to: Math.max(change.to, due?.to ?? -1) }
    if (this.#sending) return
    this.#sending = true
    this.#sendSoon()
  }

  /** Spreads the load, because all followers of a session send at the same time. */
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
    void this.#options.outbox.send(this.#toFrame(due)).then((isSent) => {
      if (isSent) this.#sendSoon()
    })
  }

  #toFrame(due: Change | 'whole'): Buffer {
    const { id, last = defaultLast } = this.#options
    const { frames, offset, total, cursor } = this.#folded
    const isWhole = due === 'whole'
    const from = isWhole ? Math.max(offset, total - last) : Math.min(due.from, total)
    const to = isWhole ? total : Math.min(due.to, total)
    return frames.get({ id, from, to, isWhole }, cursor)
  }
}
