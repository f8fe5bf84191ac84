// A process in which an agent is held, without the agent: it makes events at a pace, or as fast as they are taken.
// Usage: fork(it, [system, JSON of what the system needs]), then send { count, length, perSecond? }
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises'
import { stamped } from './live-payload.mjs'

const [, , system, json] = process.argv
const { open } = await import(`./live-${system}-wire.mjs`)
const wire = await open(JSON.parse(json))
process.send('ready')

process.on('message', ({ count, length, perSecond }) => void write(count, length, perSecond))

async function write(count, length, perSecond) {
  const began = performance.now()
  for (let index = 0; index < count; index++) {
    if (perSecond) await sleep(Math.max(0, began + (index / perSecond) * 1000 - performance.now()))
    // Agents are read in pieces: between two of them everything else has its turn.
    else if (index % 50 === 49) await breath()
    await wire.write(stamped(length))
  }
  await wire.flush()
  process.send('written')
}
