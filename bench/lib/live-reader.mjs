// A client in its own process that reads all events and records their ages when parsed.
// Usage: fork(it, [system, JSON of the system's options]), then send { count }
import { getAge, readTime } from './live-payload.mjs'

const [, , system, json] = process.argv
const { subscribe } = await import(`./live-${system}-wire.mjs`)
let wanted = 0
let ages = []
let first

await subscribe(JSON.parse(json), (text) => {
  const now = process.hrtime.bigint()
  const age = getAge(text, now)
  if (age === undefined) return
  first ??= readTime(text)
  ages.push(age)
  if (ages.length !== wanted) return
  process.send({ ages, ms: Number(now - first) / 1e6 })
})
process.send('ready')

process.on('message', ({ count }) => {
  wanted = count
  ages = []
  first = undefined
  process.send('ready')
})
