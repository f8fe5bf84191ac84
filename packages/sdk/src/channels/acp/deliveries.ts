import type { Event, EventSink } from '@remora/protocol/plain'

/**
 * Delivers events, each to the sink before any other consumer. A slow sink delays later events and the source; a failed
 * sink gets no more events.
 */
export class Deliveries {
  readonly #sink: EventSink | undefined
  readonly #handlers: DeliveryHandlers
  #waiting: Delivery[] | undefined
  #failed = false
  #idle: Promise<void> = Promise.resolve()

  constructor(sink: EventSink | undefined, handlers: DeliveryHandlers) {
    this.#sink = sink
    this.#handlers = handlers
  }

  /** Events without a consumer are only written. */
  add(events: readonly Event[], taken = true): void {
    if (events.length === 0) return
    if (this.#waiting) {
      this.#waiting.push({ events, taken })
      return
    }
    const slow = this.#write(events, 0)
    if (slow) this.#wait(slow, { events, taken })
    else if (taken) this.#handlers.take(events)
  }

  /** Writes again to a sink that has failed. */
  tryAgain(): void {
    this.#failed = false
  }

  /** Resolves when everything added so far is delivered. */
  get idle(): Promise<void> {
    return this.#idle
  }

  #write(events: readonly Event[], from: number): Slow | undefined {
    if (!this.#sink || this.#failed) return undefined
    for (let index = from; index < events.length; index++) {
      try {
        const written = this.#sink.write(events[index]!)
        if (written) return { written, next: index + 1 }
      } catch (error) {
        this.#fail(error)
        return undefined
      }
    }
    return undefined
  }

  #wait(slow: Slow, first: Delivery): void {
    this.#waiting = []
    this.#handlers.busy(true)
    this.#idle = this.#catchUp(slow, first)
  }

  async #catchUp(begun: Slow, first: Delivery): Promise<void> {
    let slow: Slow | undefined = begun
    for (let next: Delivery | undefined = first; next; next = this.#waiting?.shift()) {
      slow ??= this.#write(next.events, 0)
      while (slow) {
        try {
          await slow.written
        } catch (error) {
          this.#fail(error)
        }
        slow = this.#write(next.events, slow.next)
      }
      if (next.taken) this.#handlers.take(next.events)
    }
    this.#waiting = undefined
    this.#handlers.busy(false)
  }

  #fail(error: unknown): void {
    if (this.#failed) return
    this.#failed = true
    this.#handlers.failed(error)
  }
}

interface Delivery {
  readonly events: readonly Event[]
  readonly taken: boolean
}

/** A slow write, and the events after it. */
interface Slow {
  readonly written: Promise<void>
  readonly next: number
}

export interface DeliveryHandlers {
  take(events: readonly Event[]): void
  /** Whether the source should wait. */
  busy(busy: boolean): void
  failed(error: unknown): void
}
