import { randomBytes } from 'node:crypto'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import {
  type Checkpoint,
  type MessageChange,
  type Proposal,
  SessionDivider,
  SessionFold,
  TailGuard,
  getFirsts,
  isInTail,
} from '@remora/protocol/fold'
import type { Cursor, Message } from '@remora/protocol/plain'
import type { Ledger, Page, SessionKey, StoredEvent } from './model/ledger.ts'
import { getSessionMarks } from './rows/session-marks.ts'

/** How many events are read and folded before other work runs. */
const pageEvents = 1000
/** The tail that a checkpoint leaves: more than a client shows at first. */
const tailMessages = 200
/** The tail may grow to this before the next checkpoint is stored. */
const longTailMessages = 2 * tailMessages
/** A tail with more events than this is not worth a checkpoint. */
const maxTailEvents = 20_000

/** The stored form of a checkpoint. */
interface StoredCheckpoint {
  readonly epoch: string
  /** The position up to which the ledger was read, and those of the session's first and last event. */
  readonly read: number
  readonly first: number
  readonly last: number
  readonly checkpoint: Checkpoint
  /** The positions of the tail, up to `read`. */
  readonly ranges: Proposal['ranges']
  /** The marks with the keys of the older turns. */
  readonly keys: readonly string[]
}

/** The session to open, and where it is stored. */
export interface OpenSessionOptions {
  readonly ledger: Pick<Ledger, 'epoch' | 'read' | 'marks'>
  readonly key: SessionKey
  /** Changes events before they are folded, such as to remove their records. */
  readonly prepare?: (stored: StoredEvent) => StoredEvent
}

/**
 * The messages of a session from a checkpoint on, or from its start if there is none. They are those of the whole fold:
 * an event that could change older messages is refused, and then the session has to be opened from its start.
 *
 * @example
 * const session = await OpenSession.atEnd({ ledger, key })
 * if (await session.readAll()) console.log(session.offset, session.messages)
 */
export class OpenSession {
  /** The number of messages before the first one. */
  readonly offset: number
  readonly #options: OpenSessionOptions
  readonly #fold: SessionFold
  readonly #divider: SessionDivider
  readonly #guard: TailGuard | undefined
  readonly #keys: SortedKeys[]
  /** The marks with the keys. */
  #keyMarks: readonly string[]
  /** Older messages as of the last checkpoint. */
  #divided: number
  #first: number
  #last: number
  #cursor: Cursor
  #isSaving = false
  /** The number of events that were read. */
  events = 0

  private constructor(options: OpenSessionOptions, stored?: StoredCheckpoint, keys: SortedKeys[] = []) {
    const checkpoint = stored?.checkpoint
    this.#options = options
    this.offset = this.#divided = checkpoint?.messages ?? 0
    this.#fold = new SessionFold(checkpoint && getFirsts(checkpoint))
    this.#divider = new SessionDivider(checkpoint)
    this.#guard = checkpoint && new TailGuard(checkpoint, (key) => keys.some((each) => each.has(key)))
    this.#keys = [...keys]
    this.#keyMarks = stored?.keys ?? []
    this.#first = stored?.first ?? 0
    this.#last = stored?.last ?? 0
    this.#cursor = { epoch: options.ledger.epoch, seq: stored?.read ?? 0 }
  }

  static atStart(options: OpenSessionOptions): OpenSession {
    return new OpenSession(options)
  }

  /** Opens a session at its last checkpoint. */
  static async atEnd(options: OpenSessionOptions): Promise<OpenSession> {
    return (
      (await openStored(options, (stored, keys) => new OpenSession(options, stored, keys))) ??
      new OpenSession(options)
    )
  }

  /** The current messages. The next call of `add` changes this list. */
  get messages(): readonly Message[] {
    return this.#fold.messages
  }

  /** The position up to which the ledger was read. */
  get cursor(): Cursor {
    return this.#cursor
  }

  /** The position of the session's last event. */
  get last(): number {
    return this.#last
  }

  /** Adds the events that a checkpoint has in its tail. */
  addTail(events: readonly StoredEvent[]): void {
    this.events += events.length
    for (const each of events) {
      this.#guard?.add(each.event)
      this.#divider.add(each)
    }
    this.#fold.apply(events.map(({ event }) => event))
  }

  /**
   * Adds the next page of the session, and returns the changes with positions in `messages`. Returns undefined if an
   * event could change older messages: then nothing here is valid any more.
   */
  add({ events, cursor }: Pick<Page, 'events' | 'cursor'>): MessageChange[] | undefined {
    const { prepare } = this.#options
    this.events += events.length
    for (const { event } of events) if (this.#guard && !this.#guard.admits(event)) return undefined
    const prepared = prepare ? events.map(prepare) : events
    for (const each of prepared) this.#divider.add(each)
    const changes = this.#fold.apply(prepared.map(({ event }) => event))
    if (!changes.every(({ messages }) => this.#guard?.admitsIds(messages) ?? true)) return undefined
    this.#first ||= events[0]?.seq ?? 0
    this.#last = events.at(-1)?.seq ?? this.#last
    this.#cursor = cursor
    return changes
  }

  /** Adds everything that is stored now; false if the session has to be opened from its start. */
  async readAll(): Promise<boolean> {
    const { ledger, key } = this.#options
    for (;;) {
      const page = await ledger.read({ session: key, after: this.#cursor, limit: pageEvents })
      if (page.gap || !this.add(page)) return false
      if (page.events.length === 0) return true
      await yieldToLoop()
    }
  }

  /** Whether so much was added that a checkpoint makes the next opening cheaper. */
  get isLong(): boolean {
    return this.offset + this.messages.length - this.#divided > longTailMessages && !this.#isSaving
  }

  /** Stores a checkpoint, if there is one that gives the same messages. */
  async save(ledger: Pick<Ledger, 'append'>): Promise<boolean> {
    if (this.#isSaving) return false
    this.#isSaving = true
    try {
      return await this.#save(ledger)
    } finally {
      this.#isSaving = false
    }
  }

  async #save(ledger: Pick<Ledger, 'append'>): Promise<boolean> {
    const { epoch, seq: read } = this.#cursor
    const { offset } = this
    const [first, last, messages] = [this.#first, this.#last, [...this.messages]]
    const total = offset + messages.length
    const proposals = this.#divider.propose(messages, tailMessages)
    for (const { checkpoint, ranges } of proposals) {
      if (checkpoint.messages <= this.#divided) break
      const tail = await readTail(this.#options, checkpoint, ranges, read)
      const hasKey = (key: number): boolean => this.#hasKey(key)
      const found = tail && this.#divider.check({ checkpoint, ranges }, tail, messages, hasKey)
      if (!found) continue
      const keys = SortedKeys.from([...found.keys].filter((key) => !hasKey(key)))
      const marks = getSessionMarks(this.#options.key)
      // A name of its own, so that a checkpoint of another process never uses these keys.
      const name = marks.keys + randomBytes(6).toString('hex')
      const keyMarks = [...this.#keyMarks, name]
      const divided = { ...found, ranges, keys: keyMarks }
      const head: StoredCheckpoint = { epoch, read, first, last, ...divided }
      const stale = [...(await this.#options.ledger.marks(marks.keys)).keys()].filter(
        (each) => !keyMarks.includes(each),
      )
      const removed = Object.fromEntries(stale.map((each) => [each, undefined]))
      await ledger.append([], { marks: { ...removed, [name]: keys.toString(), [marks.head]: head } })
      this.#keys.push(keys)
      this.#keyMarks = keyMarks
      this.#divided = checkpoint.messages
      return true
    }
    // The next try comes after as many messages.
    this.#divided = Math.max(this.#divided, total - tailMessages)
    return false
  }

  #hasKey(key: number): boolean {
    return this.#keys.some((keys) => keys.has(key))
  }
}

/** Opens a stored checkpoint and reads its tail; undefined if there is none, or if it is not valid any more. */
async function openStored(
  options: OpenSessionOptions,
  open: (stored: StoredCheckpoint, keys: SortedKeys[]) => OpenSession,
): Promise<OpenSession | undefined> {
  const { ledger, key } = options
  const marks = getSessionMarks(key)
  const stored = (await ledger.marks(marks.head)).get(marks.head) as StoredCheckpoint | undefined
  if (!stored || stored.epoch !== ledger.epoch) return undefined
  const found = await ledger.marks(marks.keys)
  const keys = stored.keys.flatMap((name) => {
    const text = found.get(name)
    return typeof text === 'string' ? [SortedKeys.parse(text)] : []
  })
  if (keys.length < stored.keys.length) return undefined
  // Old months can move to an archive, and a session can be imported again.
  const { events } = await ledger.read({ session: key, limit: 1 })
  if (events[0]?.seq !== stored.first) return undefined
  const session = open(stored, keys)
  const tail = await readTail(options, stored.checkpoint, stored.ranges, stored.read)
  if (!tail) return undefined
  session.addTail(tail)
  return session
}

/** Reads the events of a tail; undefined if it is too long. */
async function readTail(
  { ledger, key, prepare }: OpenSessionOptions,
  checkpoint: Checkpoint,
  ranges: Proposal['ranges'],
  read: number,
): Promise<StoredEvent[] | undefined> {
  const { epoch } = ledger
  const tail: StoredEvent[] = []
  let count = 0
  for (const [from, to] of ranges) {
    let after: Cursor = { epoch, seq: from - 1 }
    const end = Math.min(to, read)
    while (after.seq < end) {
      const page = await ledger.read({ session: key, after, limit: pageEvents })
      if (page.gap) return undefined
      for (const each of page.events)
        if (each.seq <= end && isInTail(checkpoint, each)) tail.push(prepare ? prepare(each) : each)
      count += page.events.length
      if (count > maxTailEvents) return undefined
      after = page.cursor
    }
  }
  return tail
}

/** Keys in order, so that they need no set: a long session has hundreds of thousands. */
class SortedKeys {
  readonly #keys: Uint32Array

  private constructor(keys: Uint32Array) {
    this.#keys = keys
  }

  static from(keys: readonly number[]): SortedKeys {
    return new SortedKeys(Uint32Array.from(keys).sort())
  }

  static parse(text: string): SortedKeys {
    const bytes = Buffer.from(text, 'base64')
    const keys = new Uint32Array(bytes.length / 4)
    for (let index = 0; index < keys.length; index++) keys[index] = bytes.readUInt32LE(index * 4)
    return new SortedKeys(keys)
  }

  has(key: number): boolean {
    let [low, high] = [0, this.#keys.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#keys[middle]! < key) low = middle + 1
      else high = middle
    }
    return this.#keys[low] === key
  }

  toString(): string {
    const bytes = Buffer.alloc(this.#keys.length * 4)
    for (const [index, key] of this.#keys.entries()) bytes.writeUInt32LE(key, index * 4)
    return bytes.toString('base64')
  }
}
