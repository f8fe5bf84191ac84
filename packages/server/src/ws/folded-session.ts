import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Ledger, SessionKey, StoredEvent } from '@remora/ledger'
import type { Cursor, Message } from '@remora/protocol'
import { type MessageChange, SessionFold } from '@remora/protocol/fold'
import type { Broadcast, Listener } from './broadcast.ts'
import type { PageFrames } from './page-frames.ts'
import { removeRaw } from '../core/messages.ts'
import { MessageFrames } from './message-frames.ts'

/** How many events are read and folded before other work runs. */
const pageEvents = 1000
/** Events that arrive within this time are folded and sent together. */
const shortestMs = 15
const longestMs = 2_000
/** A very long turn is folded less often: the pause is this many times as long as the last fold took. */
const pauseFactor = 4

/** The positions of messages that changed; only the cursor changed where `from` is beyond the end. */
export interface Change {
  readonly from: number
  readonly to: number
}

/** Only the cursor changed. */
export const noChange: Change = { from: Infinity, to: -1 }

export interface FoldedOptions {
  readonly ledger: Pick<Ledger, 'read' | 'epoch'>
  readonly broadcast: Broadcast
  readonly key: SessionKey
  readonly onError: (error: unknown) => void
}

/** The messages of one session, shared by all its followers: read once, and updated by each event. */
export class FoldedSession implements Listener {
  readonly #options: FoldedOptions
  readonly #followers = new Set<(change: Change) => void>()
  #session = new SessionFold()
  /** Replaces the session with the next fold, after the ledger was replaced. */
  #next: SessionFold | undefined
  /** Events that are not folded yet. */
  #pending: StoredEvent[] = []
  /** The position up to which the ledger was read. */
  #read: Cursor
  /** The position of the session's last event. */
  #lastSeq = 0
  /** The position up to which the messages are complete. */
  #foldedTo: Cursor
  #timer: NodeJS.Timeout | undefined
  #foldedAt = -Infinity
  #pauseMs = shortestMs
  #closed = false
  readonly frames = new MessageFrames()
  readonly ready: Promise<void>

  constructor(options: FoldedOptions) {
    this.#options = options
    this.#read = this.#foldedTo = { epoch: options.ledger.epoch, seq: 0 }
    this.ready = this.#load()
  }

  /** The current messages; the list changes with the session. */
  get messages(): readonly Message[] {
    return this.#session.messages
  }

  /** A follower that has everything up to here has the current messages. */
  get cursor(): Cursor {
    return this.#foldedTo
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0
  }

  /** Whether the session has no events after this cursor. */
  isCurrent({ epoch, seq }: Cursor): boolean {
    return epoch === this.#read.epoch && seq >= this.#lastSeq && seq <= this.#read.seq
  }

  /** Reports every change until the returned function is called. */
  follow(follower: (change: Change) => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  take({ page }: PageFrames): void {
    const { cursor } = page
    if (page.gap) this.#forget(cursor)
    const isMore = this.#add(page.events)
    if (cursor.seq > this.#read.seq) this.#read = cursor
    if (isMore || page.gap) this.#foldSoon()
    // Events of other sessions change only the cursor.
    else if (!this.#timer) this.#foldedTo = this.#read
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.frames.clear()
    this.#options.broadcast.leave(this)
  }

  /** Starts over, because the ledger was replaced. */
  #forget({ epoch }: Cursor): void {
    this.#next = new SessionFold()
    this.#pending = []
    this.#lastSeq = 0
    this.#read = { epoch, seq: 0 }
  }

  #add(events: readonly StoredEvent[]): boolean {
    const { agent, session } = this.#options.key
    for (const stored of events) {
      const { seq, event } = stored
      if (seq <= this.#read.seq || event.session !== session || event.agent !== agent) continue
      this.#pending.push(removeRaw(stored))
      this.#lastSeq = seq
    }
    return this.#pending.length > 0
  }

  async #load(): Promise<void> {
    const { ledger, broadcast, key } = this.#options
    while (!this.#closed) {
      const page = await ledger.read({ session: key, after: this.#read, limit: pageEvents })
      if (page.gap) this.#forget(page.cursor)
      this.#add(page.events)
      this.#read = page.cursor
      this.#fold()
      if (page.events.length === 0 && page.cursor.seq >= broadcast.cursor.seq) break
      await yieldToLoop()
    }
    if (this.#closed) return
    broadcast.join(this)
  }

  #foldSoon(): void {
    if (this.#timer) return
    const due = this.#foldedAt + this.#pauseMs - performance.now()
    const act = (): void => {
      this.#timer = undefined
      if (this.#closed) return
      try {
        const change = this.#fold()
        for (const follower of this.#followers) follower(change)
      } catch (error) {
        this.#options.onError(error)
      }
    }
    this.#timer = setTimeout(act, Math.max(0, due))
  }

  #fold(): Change {
    const isReset = this.#next !== undefined
    this.#session = this.#next ?? this.#session
    this.#next = undefined
    const began = performance.now()
    const some = this.#pending.splice(0, pageEvents)
    const changes = this.#session.apply(some.map(({ event }) => event))
    this.#foldedTo = this.#pending.length === 0 ? this.#read : { ...this.#read, seq: some.at(-1)!.seq }
    this.#foldedAt = performance.now()
    this.#pauseMs = Math.min(longestMs, Math.max(shortestMs, (this.#foldedAt - began) * pauseFactor))
    if (this.#pending.length > 0) this.#foldSoon()
    this.frames.reset(this.messages)
    return isReset ? { from: 0, to: this.messages.length } : findRange(changes, this.messages.length)
  }
}

function findRange(changes: readonly MessageChange[], length: number): Change {
  let range = noChange
  for (const { from, removed, messages } of changes) {
    // All messages behind move where the number changes.
    const to = removed === messages.length ? from + removed : length
    range = { from: Math.min(range.from, from), to: Math.max(range.to, to) }
  }
  return range
}
