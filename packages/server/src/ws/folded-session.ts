import { createHash } from 'node:crypto'
import { setImmediate as otherWork } from 'node:timers/promises'
import type { Ledger, SessionKey, StoredEvent } from '@remora/ledger'
import type { Cursor, Event, Message } from '@remora/protocol'
import { foldEvents } from '../fold-events.ts'
import type { Broadcast, Listener } from './broadcast.ts'
import type { CutPage } from './cut-page.ts'
import { lean } from './lean.ts'
import { MessageFrames } from './message-frames.ts'

const pageEvents = 1000
/** What comes in usually changes the end: only so many messages are compared each time, and all of them when it is quiet. */
const usualTail = 100
const usualQuietMs = 1_000
/** Folding takes at most this part of the time. */
const share = 4
const shortestMs = 15
const longestMs = 2_000

/** The places of messages that are others now; nothing but the cursor where `from` is beyond the end. */
export interface Change {
  readonly from: number
  readonly to: number
}

/** Nothing changed, but it is known of more. */
export const noChange: Change = { from: Infinity, to: -1 }

export interface FoldedOptions {
  readonly ledger: Pick<Ledger, 'read' | 'epoch'>
  readonly broadcast: Broadcast
  readonly key: SessionKey
  readonly onError: (error: unknown) => void
  /** How many at the end are compared each time, and how long a silence is quiet; for tests. */
  readonly tail?: number
  readonly quietMs?: number
}

/** One session as messages, for all who follow it: read once, and folded again when it has gone on. */
export class FoldedSession implements Listener {
  readonly #options: FoldedOptions
  readonly #followers = new Set<(change: Change) => void>()
  #events: Event[] = []
  /** Up to where it was read, and where the last event of this session stands. */
  #read: Cursor
  #lastSeq = 0
  #foldedTo: Cursor
  /** Up to where followers have been told everything, also what changed before the end. */
  #settledTo: Cursor
  #messages: readonly Message[] = []
  #tail = new Map<number, string>()
  /** The digests of the messages that followers have. */
  #prints: string[] = []
  #loadedPrints: Promise<readonly string[]> = Promise.resolve([])
  #timer: NodeJS.Timeout | undefined
  #quiet: NodeJS.Timeout | undefined
  #waitMs = shortestMs
  #foldedAt = -Infinity
  #closed = false
  readonly frames = new MessageFrames()
  readonly ready: Promise<void>

  constructor(options: FoldedOptions) {
    this.#options = options
    this.#read = this.#foldedTo = this.#settledTo = { epoch: options.ledger.epoch, seq: 0 }
    this.ready = this.#load()
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** Who has been told everything up to here misses nothing. */
  get cursor(): Cursor {
    return this.#settledTo
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0
  }

  get #tailSize(): number {
    return this.#options.tail ?? usualTail
  }

  /** Whether the session has not gone on since, whatever others did. */
  isCurrent({ epoch, seq }: Cursor): boolean {
    return epoch === this.#read.epoch && seq >= this.#lastSeq && seq <= this.#read.seq
  }

  /** Tells of every change from now on, until what it returns is called. */
  follow(follower: (change: Change) => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  take({ page }: CutPage): void {
    const { cursor } = page
    if (page.gap) this.#forget(cursor)
    const isMore = this.#add(page.events)
    if (cursor.seq > this.#read.seq) this.#read = cursor
    if (isMore || page.gap) return this.#foldSoon()
    // What others did changes nothing here.
    if (this.#timer || this.#quiet) return
    this.#foldedTo = this.#settledTo = this.#read
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#quiet)
    this.frames.clear()
    this.#options.broadcast.leave(this)
  }

  /** The ledger is another one than before. */
  #forget({ epoch }: Cursor): void {
    this.#events = []
    this.#lastSeq = 0
    this.#read = { epoch, seq: 0 }
  }

  #add(events: readonly StoredEvent[]): boolean {
    const { agent, session } = this.#options.key
    const before = this.#events.length
    for (const stored of events) {
      const { seq, event } = stored
      if (seq <= this.#read.seq || event.session !== session || event.agent !== agent) continue
      this.#events.push(lean(stored).event)
      this.#lastSeq = seq
    }
    return this.#events.length > before
  }

  async #load(): Promise<void> {
    const { ledger, broadcast, key } = this.#options
    while (!this.#closed) {
      const page = await ledger.read({ session: key, after: this.#read, limit: pageEvents })
      if (page.gap) this.#forget(page.cursor)
      this.#add(page.events)
      this.#read = page.cursor
      if (page.events.length === 0 && page.cursor.seq >= broadcast.cursor.seq) break
      await otherWork()
    }
    if (this.#closed) return
    broadcast.join(this)
    this.#fold()
    // Nobody was told anything yet: who comes gets what is there now.
    this.#settledTo = this.#foldedTo
    this.#loadedPrints = this.#printAll(this.#messages)
    clearTimeout(this.#quiet)
    this.#quiet = undefined
  }

  #foldSoon(): void {
    if (this.#timer) return
    const due = this.#foldedAt + this.#waitMs - performance.now()
    const act = (): void => {
      this.#timer = undefined
      if (this.#closed) return
      try {
        this.#fold()
      } catch (error) {
        this.#options.onError(error)
      }
    }
    // What comes in one breath is folded together.
    this.#timer = setTimeout(act, Math.max(0, due))
  }

  #fold(): void {
    const began = performance.now()
    const before = this.#messages.length
    this.#messages = foldEvents(this.#events).map((message) => ({ ...message, _original: [] }))
    this.frames.reset(this.#messages)
    this.#foldedTo = this.#read
    const change = this.#compare(before)
    this.#foldedAt = performance.now()
    this.#waitMs = Math.min(longestMs, Math.max(shortestMs, (this.#foldedAt - began) * share))
    if (change) this.#tell(change)
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      this.#compareAll().catch(this.#options.onError)
    }, this.#options.quietMs ?? usualQuietMs).unref()
  }

  #tell(change: Change): void {
    for (const follower of this.#followers) follower(change)
  }

  #compare(before: number): Change | undefined {
    const { length } = this.#messages
    const known = this.#tail
    const begin = Math.max(0, length - this.#tailSize)
    this.#tail = new Map(
      this.#messages
        .slice(begin)
        .map((message, index) => [begin + index, digest(this.frames.encode(message))]),
    )
    // Followers are sent whatever of this is new.
    for (const [index, print] of this.#tail) this.#prints[index] = print
    let from = Infinity
    let to = -1
    for (const [index, print] of this.#tail) {
      if (known.get(index) === print) continue
      from = Math.min(from, index)
      to = index
    }
    // What is new at the very beginning of what is compared may have pushed on what stands before it.
    if (from <= begin && begin > 0 && known.has(begin)) return { from: 0, to: length }
    if (to !== -1) return { from: Math.min(from, before), to: to + 1 }
    return before === length ? undefined : { from: length, to: length }
  }

  /** Finds what changed before the end, as when a transcript came late; then followers know everything. */
  async #compareAll(): Promise<void> {
    const messages = this.#messages
    const loaded = await this.#loadedPrints
    const prints = await this.#printAll(messages)
    if (this.#closed || this.#messages !== messages) return
    const changed = prints.flatMap((print, index) =>
      (this.#prints[index] ?? loaded[index]) === print ? [] : [index],
    )
    this.#prints = prints
    this.#loadedPrints = Promise.resolve([])
    this.#quiet = undefined
    this.#settledTo = this.#timer ? this.#foldedTo : this.#read
    this.#tell(changed.length === 0 ? noChange : { from: changed[0]!, to: changed.at(-1)! + 1 })
  }

  async #printAll(messages: readonly Message[]): Promise<string[]> {
    const prints: string[] = []
    for (const [index, message] of messages.entries()) {
      prints.push(digest(JSON.stringify(message)))
      if (index % 200 === 199) await otherWork()
      if (this.#closed) break
    }
    return prints
  }
}

function digest(text: string): string {
  return createHash('md5').update(text).digest('base64')
}
