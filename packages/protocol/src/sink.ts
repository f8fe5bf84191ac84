import type { Event } from './event.ts'

/** Takes events, in order. A returned promise is awaited before the next event, so a slow sink slows its source. */
export interface EventSink {
  write(event: Event): void | Promise<void>
}
