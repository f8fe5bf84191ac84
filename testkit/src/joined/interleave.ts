import type { Event } from '@remora/protocol'
import fc from 'fast-check'

/** Mixes events in any way that keeps the order of each source, and repeats some of them later. */
export function interleave(events: readonly Event[]): fc.Arbitrary<Event[]> {
  const sources = new Map<string, Event[]>()
  for (const event of events) {
    const name = `${event.origin.channel} ${event.origin.source}`
    sources.set(name, [...(sources.get(name) ?? []), event])
  }
  const lanes = [...sources.values()]
  const step = fc.record({
    lane: fc.nat(),
    // Whole turns of one channel may come before the first event of another.
    count: fc.integer({ min: 1, max: events.length }),
    repeats: fc.nat(3),
  })
  return fc.array(step, { minLength: 2 * lanes.length, maxLength: events.length }).map((steps) => {
    const queues = lanes.map((lane) => [...lane])
    const mixed: Event[] = []
    for (const { lane, count, repeats } of steps) {
      const open = queues.filter((queue) => queue.length > 0)
      if (open.length === 0) break
      mixed.push(...open[lane % open.length]!.splice(0, count))
      for (let index = 0; index < repeats; index++) mixed.push(mixed[(lane + index * count) % mixed.length]!)
    }
    return [...mixed, ...queues.flat()]
  })
}
