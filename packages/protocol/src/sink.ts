import type { Event } from './event.ts'

/** Takes events, in order. A returned promise is awaited before the next event, so a slow sink slows its source. */
export interface EventSink {
  write(event: Event): void | Promise<void>
}

/** The events that one record of an agent gave, in order, and its text exactly as it was, where that is known. */
export interface EventRecord {
  readonly events: readonly Event[]
  readonly raw?: string
}
