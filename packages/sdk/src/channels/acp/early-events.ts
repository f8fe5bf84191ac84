import type { Event } from '@remora/protocol/plain'

/** What is told of sessions before they are open, as far as they must know it of themselves. */
export class EarlyEvents {
  readonly #events = new Map<string, Event[]>()

  add(events: readonly Event[]): void {
    for (const event of events) {
      const { session, type } = event
      const isLasting = type === 'session' || (type === 'status' && typeof event.value === 'string')
      if (isLasting) this.#events.set(session, [...(this.#events.get(session) ?? []), event])
    }
  }

  take(session: string): readonly Event[] {
    const events = this.#events.get(session) ?? []
    this.#events.delete(session)
    return events
  }
}
