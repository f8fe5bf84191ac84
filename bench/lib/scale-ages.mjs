// The age of events when a reader receives them, measured in the reader's process.
import { madeAt } from './scale-events.mjs'

/**
 * Answers a parent that sends { count } once so many events have come to each of so many readers.
 *
 * @returns what takes an event
 */
export function collectAges(readers) {
  let wanted = Infinity
  let seen = []
  process.on('message', ({ count }) => {
    wanted = count * readers
    seen = []
    process.send('ready')
  })
  process.send('ready')
  return (event) => {
    const made = madeAt(event)
    if (made === undefined) return
    const now = process.hrtime.bigint()
    seen.push({ made, age: Number(now - made) / 1e6 })
    if (seen.length !== wanted) return
    const first = seen.reduce((least, { made }) => (made < least ? made : least), made)
    process.send({
      ages: Float64Array.from(seen.map(({ age }) => age)),
      ms: Number(now - first) / 1e6,
    })
  }
}
