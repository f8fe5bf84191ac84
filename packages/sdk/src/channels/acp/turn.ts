import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '@remora/protocol/plain'
import { Waiter, waitAtMost } from '../../runs/waiter.ts'

/** The events of one prompt until it is answered. */
export class Turn {
  readonly #waiter = new Waiter()
  #events: Event[] = []
  #isOver = false
  #settle!: () => void
  /** Resolves when the agent has ended the turn or can no longer do so. */
  readonly over: Promise<void>
  /** The agent's `done` event. */
  done: Extract<Event, { type: 'done' }> | undefined
  /** Why there will be no `done` event. */
  failure: { readonly error: unknown } | undefined
  /** When the agent last sent a message; undefined until the prompt was sent. */
  lastUpdateAt: number | undefined
  /** When the last call ended, or the prompt was sent. A running command was started after it. */
  settledAt: number | undefined

  constructor() {
    this.over = new Promise((resolve) => (this.#settle = resolve))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The number of unread events. */
  get unread(): number {
    return this.#events.length
  }

  /** Called when the prompt is sent. */
  send(): void {
    this.lastUpdateAt = Date.now()
    this.settledAt = this.lastUpdateAt
    this.#waiter.wake()
  }

  add(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'tool_result') this.settledAt = Date.now()
      if (event.type === 'done') {
        this.done = event
        this.end()
        // A run emits its session at the start. Later changes of it, such as a title, are only for the sink.
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

  /** Takes the events since the last call; empty if there are none. */
  take(): Event[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Milliseconds until the agent will have been silent for this long. */
  quietIn(forMs: number): number {
    return (this.lastUpdateAt ?? 0) + forMs - Date.now()
  }

  /** Resolves when the agent has been silent for this long. */
  async quiet(forMs: number): Promise<void> {
    if (forMs === 0) return
    for (let left = this.quietIn(forMs); left > 0; left = this.quietIn(forMs)) await sleep(left)
  }

  /** Resolves when an event has arrived, or after a timeout. */
  async more(forMs?: number): Promise<void> {
    if (forMs === undefined) await this.#waiter.wait()
    else await waitAtMost(this.#waiter.wait(), Math.max(0, forMs))
  }
}
