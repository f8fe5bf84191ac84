import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '@remora/protocol/plain'
import { Waiter } from '../../runs/waiter.ts'
import { waitAtMost } from './wait-at-most.ts'

/** What one prompt gets told, until it is answered. */
export class Turn {
  readonly #waiter = new Waiter()
  #events: Event[] = []
  #isOver = false
  #settle!: () => void
  /** Settles when the agent has said that it is over, or cannot say anything any more. */
  readonly over: Promise<void>
  /** The end of the turn, as the agent told it. */
  done: Extract<Event, { type: 'done' }> | undefined
  /** Why there will be no end. */
  failure: { readonly error: unknown } | undefined
  /** When the agent last gave a sign of life; undefined until the prompt was sent. */
  heard: number | undefined
  /** When the last call was finished, or the prompt was sent: a command that runs now was started after it. */
  settledAt: number | undefined

  constructor() {
    this.over = new Promise((resolve) => (this.#settle = resolve))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** How much lies unread. */
  get unread(): number {
    return this.#events.length
  }

  /** The prompt goes out now. */
  send(): void {
    this.heard = Date.now()
    this.settledAt = this.heard
    this.#waiter.wake()
  }

  add(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'tool_result') this.settledAt = Date.now()
      if (event.type === 'done') {
        this.done = event
        this.end()
        // A run has told of its session in the beginning; what is new of it, such as a title, is for the sink.
      } else if (event.type !== 'session') this.#events.push(event)
    }
    this.#waiter.wake()
  }

  end(): void {
    this.#isOver = true
    this.#settle()
  }

  fail(error: unknown): void {
    this.failure ??= { error }
    this.end()
    this.#waiter.wake()
  }

  /** Everything that came since the last time; empty if nothing did. */
  take(): Event[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Milliseconds until the agent will have been quiet for so long. */
  quietIn(forMs: number): number {
    return (this.heard ?? 0) + forMs - Date.now()
  }

  /** Settles when the agent has been quiet for so long. */
  async quiet(forMs: number): Promise<void> {
    if (forMs === 0) return
    for (let left = this.quietIn(forMs); left > 0; left = this.quietIn(forMs)) await sleep(left)
  }

  /** Settles when something has come, or after a while. */
  async more(forMs?: number): Promise<void> {
    if (forMs === undefined) await this.#waiter.wait()
    else await waitAtMost(this.#waiter.wait(), Math.max(0, forMs))
  }
}
