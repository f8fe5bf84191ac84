import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { type Ledger, OpenSession, type SessionKey, type StoredEvent } from '@remora/ledger'
import type { Cursor, Message } from '@remora/protocol'
import type { MessageChange } from '@remora/protocol/fold'
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
  readonly ledger: Pick<Ledger, 'append' | 'archiveOf' | 'epoch' | 'marks' | 'read'>
  readonly broadcast: Broadcast
  readonly key: SessionKey
  readonly onError: (error: unknown) => void
}

/** The messages of one session, shared by all its followers: opened at its end, and updated by each event. */
export class FoldedSession implements Listener {
  readonly #options: FoldedOptions
  readonly #followers = new Set<(change: Change) => void>()
  #session: OpenSession
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
    this.#session = OpenSession.atStart({ ...options, prepare: removeRaw })
    this.#read = this.#foldedTo = this.#session.cursor
    this.ready = this.#load()
  }

  /** The messages from `offset` on; the list changes with the session. */
  get messages(): readonly Message[] {
    return this.#session.messages
  }

  /** The number of older messages, which are not read. */
  get offset(): number {
    return this.#session.offset
  }

  get total(): number {
    return this.offset + this.messages.length
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
    if (page.gap) return this.#reload()
    const { cursor } = page
    const isMore = this.#add(page.events)
    if (cursor.seq > this.#read.seq) this.#read = cursor
    if (isMore) this.#foldSoon()
    // Events of other sessions change only the cursor.
    else if (!this.#timer) this.#foldedTo = this.#read
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.frames.clear()
    this.#options.broadcast.leave(this)
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

  /** Opens the session at its end, or at its start if a late event could change older messages. */
  async #load(isWhole = false): Promise<void> {
    const { ledger, broadcast, key } = this.#options
    const options = { ...this.#options, prepare: removeRaw }
    let session = isWhole ? OpenSession.atStart(options) : await OpenSession.atEnd(options)
    while (!this.#closed) {
      const page = await ledger.read({ session: key, after: session.cursor, limit: pageEvents })
      if (page.gap) session = OpenSession.atStart(options)
      if (!session.add(page)) session = OpenSession.atStart(options)
      else if (page.events.length === 0 && page.cursor.seq >= broadcast.cursor.seq) break
      await yieldToLoop()
    }
    if (this.#closed) return
    this.#session = session
    this.#pending = []
    this.#read = this.#foldedTo = session.cursor
    this.#lastSeq = session.last
    this.frames.reset(session)
    broadcast.join(this)
    this.#saveIfLong()
  }

  /** Starts over, because the ledger was replaced or older messages may have changed. */
  #reload(): void {
    this.#options.broadcast.leave(this)
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#load(true).then(
      () => this.#report({ from: 0, to: this.total }),
      (error: unknown) => {
        this.#options.onError(error)
        if (!this.#closed) this.#timer = setTimeout(() => this.#reload(), longestMs)
      },
    )
  }

  #report(change: Change): void {
    if (this.#closed) return
    for (const follower of this.#followers) follower(change)
  }

  #foldSoon(): void {
    if (this.#timer) return
    const due = this.#foldedAt + this.#pauseMs - performance.now()
    const act = (): void => {
      this.#timer = undefined
      if (this.#closed) return
      try {
        this.#fold()
      } catch (error) {
        this.#options.onError(error)
      }
    }
    this.#timer = setTimeout(act, Math.max(0, due))
  }

  #fold(): void {
    const began = performance.now()
    const events = this.#pending.splice(0, pageEvents)
    const seq = this.#pending.length === 0 ? this.#read.seq : events.at(-1)!.seq
    const cursor = { ...this.#read, seq }
    const changes = this.#session.add({ events, cursor })
    if (!changes) return this.#reload()
    this.#foldedTo = cursor
    this.#foldedAt = performance.now()
    this.#pauseMs = Math.min(longestMs, Math.max(shortestMs, (this.#foldedAt - began) * pauseFactor))
    if (this.#pending.length > 0) this.#foldSoon()
    this.frames.reset(this.#session)
    this.#report(findRange(changes, this.#session))
    this.#saveIfLong()
  }

  /** Stores where the session can be opened next time. */
  #saveIfLong(): void {
    const { ledger } = this.#options
    if (this.#session.isLong && !ledger.archiveOf) this.#session.save(ledger).catch(this.#options.onError)
  }
}

function findRange(changes: readonly MessageChange[], { offset, messages: all }: OpenSession): Change {
  let range = noChange
  for (const { from, removed, messages } of changes) {
    // All messages behind move where the number changes.
    const to = removed === messages.length ? from + removed : all.length
    range = { from: Math.min(range.from, offset + from), to: Math.max(range.to, offset + to) }
  }
  return range
}
