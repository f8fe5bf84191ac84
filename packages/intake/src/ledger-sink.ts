import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import { type Event, type EventRecord, type EventSink, RemoraError } from '@remora/protocol/plain'

/** A sink that stores events in the ledger. */
export interface LedgerSink extends EventSink {
  /** Settles when all events written so far are stored; rejects if they cannot be stored. */
  flush(): Promise<void>
  /** Flushes, and rejects later events. */
  close(): Promise<void>
}

/** The longest delay of an event. A single event is stored at once; under load, storing takes at most half of the time. */
const longestBatchMs = 5
/** The queue length at which the source waits, and the one at which events are rejected. */
const highWaterMark = 2_000
const queueLimit = 10 * highWaterMark
/** The delays between retries, because another process may lock the ledger for a while. */
const retryDelaysMs = [50, 250, 1_000]

/**
 * Stores events in the ledger in batches and in order. A slow disk slows the source. Events that could not be stored are
 * kept and retried with the next ones, and the next write or flush rejects.
 *
 * @example
 * const sink = ledgerSink(ledger)
 * await using connection = await connect('gemini', { sink })
 */
export function ledgerSink(ledger: Pick<Ledger, 'append'>): LedgerSink {
  return new Sink(ledger)
}

class Sink implements LedgerSink {
  readonly #ledger: Pick<Ledger, 'append'>
  #queue: Event[] = []
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  /** The earliest time of the next append, by the duration of the last one. */
  #next = 0
  /** The running append. Never rejects. */
  #appending: Promise<void> | undefined
  #failure: RemoraError | undefined
  #closed = false

  constructor(ledger: Pick<Ledger, 'append'>) {
    this.#ledger = ledger
  }

  write(event: Event): void | Promise<void> {
    if (this.#closed) return Promise.reject(new RemoraError('usage', 'The sink is closed already'))
    if (this.#failure) return this.#afterFailure(event)
    this.#queue.push(event)
    if (this.#queue.length >= highWaterMark) return this.flush()
    this.#gather()
  }

  async flush(): Promise<void> {
    while (this.#queue.length > 0 && !this.#failure) await this.#append()
    this.#throwFailure()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    // This is the last attempt to store events that failed before.
    this.#failure = undefined
    this.#closed = true
    await this.flush()
  }

  /** Queues the event if the queue is not full, and rejects with the earlier failure. */
  #afterFailure(event: Event): Promise<void> {
    const hasSpace = this.#queue.length < queueLimit
    if (hasSpace) this.#queue.push(event)
    this.#gather()
    const failure = this.#failure
    this.#failure = undefined
    return Promise.reject(hasSpace ? failure : notTaken(failure))
  }

  /** Schedules an append, together with other events of the same turn. */
  #gather(): void {
    if (this.#timer || this.#soon || this.#appending) return
    const wait = this.#next - performance.now()
    if (wait > 0) this.#timer = setTimeout(() => void this.#append(), wait)
    else this.#soon = setImmediate(() => void this.#append())
  }

  #append(): Promise<void> {
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
    this.#timer = undefined
    this.#soon = undefined
    this.#appending ??= this.#store().finally(() => {
      this.#appending = undefined
      // Events that arrived meanwhile are stored by another append.
      if (this.#queue.length > 0 && !this.#failure) this.#gather()
    })
    return this.#appending
  }

  async #store(): Promise<void> {
    const events = this.#queue
    this.#queue = []
    for (let attempt = 0; ; attempt++) {
      const began = performance.now()
      try {
        await this.#ledger.append(groupIntoRecords(events))
        const ended = performance.now()
        this.#next = ended + Math.min(longestBatchMs, ended - began)
        return
      } catch (error) {
        if (attempt < retryDelaysMs.length) {
          await sleep(retryDelaysMs[attempt])
          continue
        }
        this.#queue = [...events, ...this.#queue]
        this.#failure = notStored(events.length, error)
        return
      }
    }
  }

  #throwFailure(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure
  }
}

/** Groups the events of one message. Only the first has its raw text. */
function groupIntoRecords(events: readonly Event[]): EventRecord[] {
  const records: { events: Event[] }[] = []
  let last: Event | undefined
  for (const event of events) {
    if (last && event.raw === undefined && isSameRecord(last, event)) records.at(-1)!.events.push(event)
    else records.push({ events: [event] })
    last = event
  }
  return records
}

function isSameRecord({ origin: left }: Event, { origin: right }: Event): boolean {
  return (
    left.source === right.source &&
    left.channel === right.channel &&
    left.digest === right.digest &&
    getMessageKey(left.key) === getMessageKey(right.key)
  )
}

/** The number of the message, without the number of the event in it. */
function getMessageKey(key: string): string {
  const dot = key.lastIndexOf('.')
  return dot === -1 ? key : key.slice(0, dot)
}

function notStored(count: number, cause: unknown): RemoraError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const { code, hint } = RemoraError.is(cause) ? cause : { code: 'unknown' as const, hint: undefined }
  return new RemoraError(code, `${count} events are not stored in the ledger yet: ${why}`, {
    hint: hint ?? 'They are kept and stored with the next ones. See: remora doctor',
    cause,
  })
}

function notTaken(cause: RemoraError | undefined): RemoraError {
  return new RemoraError(
    cause?.code ?? 'unknown',
    `An event is lost, since ${queueLimit} wait for the ledger already`,
    {
      hint: cause?.hint ?? 'Free some space, or check who owns the ledger.',
      cause,
    },
  )
}
