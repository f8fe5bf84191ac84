// The age of events when a reader receives them, measured in the reader's process.
import { readMadeAt } from './scale-events.mjs'

/**
 * After the parent sends { count }, reports the ages as soon as each reader has received that many events.
 *
 * @returns a function to call with each event
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
    const made = readMadeAt(event)
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
