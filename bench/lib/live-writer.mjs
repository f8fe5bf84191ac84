// Simulates the process that hosts an agent: creates events at a fixed rate, or as fast as they are accepted.
// Usage: fork(it, [system, JSON of the system's options]), then send { count, length, perSecond? }
import { setImmediate as yieldTurn, setTimeout as sleep } from 'node:timers/promises'
import { createStamped } from './live-payload.mjs'

const [, , system, json] = process.argv
const { open } = await import(`./live-${system}-wire.mjs`)
const wire = await open(JSON.parse(json))
process.send('ready')

process.on('message', ({ count, length, perSecond }) => void write(count, length, perSecond))

async function write(count, length, perSecond) {
  const began = performance.now()
  for (let index = 0; index < count; index++) {
    if (perSecond) await sleep(Math.max(0, began + (index / perSecond) * 1000 - performance.now()))
    // A real agent's output arrives in chunks, and other work runs between them.
    else if (index % 50 === 49) await yieldTurn()
    await wire.write(createStamped(length))
  }
  await wire.flush()
  process.send('written')
}
