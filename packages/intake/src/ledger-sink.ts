import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import { type Event, type EventRecord, type EventSink, RemoraError } from '@remora/protocol/plain'

/** A sink that stores. Whoever ends it waits for what is still on its way. */
export interface LedgerSink extends EventSink {
  /** Settles when everything that was written so far is stored; rejects with what kept it from that. */
  flush(): Promise<void>
  /** The same, and takes nothing more. */
  close(): Promise<void>
}

/** What comes alone is stored at once. In a flood storing takes half of the time, but nothing waits longer than this. */
const gatherMs = 5
/** From how many on their source waits, and from how many on none is taken any more. */
const plenty = 2_000
const tooMany = 10 * plenty
/** How long to wait before it is tried again, and how often: another process may hold the ledger for a while. */
const patience = [50, 250, 1_000]

/**
 * Stores events in the ledger, many at a time and in order. A slow disk slows the source; what could not be stored is
 * kept, tried again with whatever comes next, and told by the next write or flush.
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
  /** When the next may be stored, by the time that the last one took. */
  #next = 0
  /** The appending that goes on now. Never rejects. */
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
    if (this.#queue.length >= plenty) return this.flush()
    this.#gather()
  }

  async flush(): Promise<void> {
    while (this.#queue.length > 0 && !this.#failure) await this.#append()
    this.#throwFailure()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    // What failed before may work by now, and there is no later.
    this.#failure = undefined
    this.#closed = true
    await this.flush()
  }

  /** Takes the event all the same, as long as there is room for it, and tells what was wrong. */
  #afterFailure(event: Event): Promise<void> {
    const room = this.#queue.length < tooMany
    if (room) this.#queue.push(event)
    this.#gather()
    const failure = this.#failure
    this.#failure = undefined
    return Promise.reject(room ? failure : notTaken(failure))
  }

  /** Sees to it that what waits is stored soon, with whatever comes in the same turn. */
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
      // What came meanwhile has a turn of its own.
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
        await this.#ledger.append(recordsOf(events))
        const ended = performance.now()
        this.#next = ended + Math.min(gatherMs, ended - began)
        return
      } catch (error) {
        if (attempt < patience.length) {
          await sleep(patience[attempt])
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

/** Events of one message belong together: the first has its text, and the others need not have it again. */
export function recordsOf(events: readonly Event[]): EventRecord[] {
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
    stemOf(left.key) === stemOf(right.key)
  )
}

/** The number of the message, without that of the event in it. */
function stemOf(key: string): string {
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
    `An event is lost, since ${tooMany} wait for the ledger already`,
    {
      hint: cause?.hint ?? 'Free some space, or check who owns the ledger.',
      cause,
    },
  )
}
