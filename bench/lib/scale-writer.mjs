// A process with one handle of the ledger, for one machine or for many that are simulated.
// Usage: fork(it, [JSON of where the ledger is]), then send { flood } or { pace }; it answers with what was done.
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises'
import { ledgerSink } from '@remora/intake'
import { openLedger } from '@remora/ledger'
import { openPostgres } from '@remora/ledger-postgres'
import { simulatedNode } from './scale-events.mjs'

// Also where the bench was stopped in the middle.
process.once('disconnect', () => process.exit())
const place = JSON.parse(process.argv[2])
const ledger = await (place.url ? openPostgres(place) : openLedger(place))
const nodes = new Map()
let appends = 0
const counted = {
  append(...what) {
    appends += 1
    return ledger.append(...what)
  },
}
const beatEvery = 10_000
let beating = false
process.send('ready')

const works = { meet, flood, pace }
process.on('message', (message) => void answer(message))

async function answer({ work, ...options }) {
  try {
    const before = { appends, processor: processor() }
    const result = await works[work](options)
    process.send({ ...result, appends: appends - before.appends, processor: processor() - before.processor })
  } catch (error) {
    process.send({ failed: String(error?.cause?.stack ?? error?.stack ?? error) })
  }
}

/** The machines that this process writes for from now on; each says something, so that its session is there. */
async function meet({ names, beats }) {
  nodes.clear()
  for (const name of names) nodes.set(name, { ...simulatedNode(name), sink: ledgerSink(counted) })
  for (const { name, next, sink } of nodes.values()) {
    if (beats) await beat(name)
    await sink.write(next())
    await sink.flush()
  }
  if (beats && !beating) void keepBeating()
  return { events: nodes.size }
}

/** As fast as it goes: so many appends at a time, each of so many events, for a time. */
async function flood({ clients, batch, ms }) {
  const writers = Array.from({ length: clients }, (_, index) =>
    simulatedNode(`flood-${process.pid}-${batch}-${index}-${appends}`),
  )
  const put = (writer) => counted.append(Array.from({ length: batch }, () => ({ events: [writer.next()] })))
  await Promise.all(writers.map(put))
  const began = performance.now()
  let events = 0
  await Promise.all(
    writers.map(async (writer) => {
      while (performance.now() - began < ms) {
        const { added } = await put(writer)
        // Only now: what the others have counted meanwhile would be lost.
        events += added
      }
    }),
  )
  // With the first ones, for which the clock did not run yet.
  return { events, stored: events + clients * batch, ms: performance.now() - began }
}

/** At a rate, whether or not it is kept up with: each machine in its turn, through a sink as hosts of agents have one. */
async function pace({ perSecond, ms }) {
  const turns = [...nodes.values()]
  const count = Math.round((perSecond * ms) / 1000)
  const began = performance.now()
  let failure
  for (let index = 0; index < count; index++) {
    const wait = began + (index / perSecond) * 1000 - performance.now()
    if (wait > 0) await sleep(wait)
    // Behind its time: what was written before has its turn all the same.
    else if (index % 20 === 19) await breath()
    const { next, sink } = turns[index % turns.length]
    // One that waits for the disk would hold up the others.
    sink.write(next())?.catch((error) => (failure = error))
  }
  await Promise.all(turns.map(({ sink }) => sink.flush()))
  if (failure) throw new Error('Events could not be stored', { cause: failure })
  return { events: count, ms: performance.now() - began }
}

/** As servers do, spread over the time between two beats. */
async function keepBeating() {
  beating = true
  for (;;) {
    const names = [...nodes.keys()]
    if (names.length === 0) await sleep(beatEvery, undefined, { ref: false })
    for (const name of names) {
      await sleep(beatEvery / names.length, undefined, { ref: false })
      if (!nodes.has(name)) break
      await beat(name).catch(() => {})
    }
  }
}

function beat(name) {
  return ledger.nodes.heartbeat({ id: name, name, version: '0.0.0', live: [] })
}

/** Milliseconds of the processor so far. */
function processor() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
