// A process with one handle of the ledger that simulates one machine or many.
// Usage: fork(it, [JSON of the ledger's place]), then send { work: 'meet' | 'flood' | 'pace', … }; it answers with a result.
import { setImmediate as yieldTurn, setTimeout as sleep } from 'node:timers/promises'
import { ledgerSink } from '@remora/intake'
import { openLedger } from '@remora/ledger'
import { openPostgres } from '@remora/ledger-postgres'
import { createSimulatedNode } from './scale-events.mjs'

// Also when the bench is interrupted.
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
const heartbeatMs = 10_000
let isSendingHeartbeats = false
process.send('ready')

const works = { meet, flood, pace }
process.on('message', (message) => void answer(message))

async function answer({ work, ...options }) {
  try {
    const before = { appends, processor: readProcessor() }
    const result = await works[work](options)
    process.send({
      ...result,
      appends: appends - before.appends,
      processor: readProcessor() - before.processor,
    })
  } catch (error) {
    process.send({ failed: String(error?.cause?.stack ?? error?.stack ?? error) })
  }
}

/** Replaces the simulated machines of this process. Each writes one event, so that its session exists. */
async function meet({ names, beats }) {
  nodes.clear()
  for (const name of names) nodes.set(name, { ...createSimulatedNode(name), sink: ledgerSink(counted) })
  for (const { name, next, sink } of nodes.values()) {
    if (beats) await sendHeartbeat(name)
    await sink.write(next())
    await sink.flush()
  }
  if (beats && !isSendingHeartbeats) void sendHeartbeats()
  return { events: nodes.size }
}

/** Appends as fast as possible for `ms`: `clients` appends at a time with `batch` events each. */
async function flood({ clients, batch, ms }) {
  const writers = Array.from({ length: clients }, (_, index) =>
    createSimulatedNode(`flood-${process.pid}-${batch}-${index}-${appends}`),
  )
  const put = (writer) => counted.append(Array.from({ length: batch }, () => ({ events: [writer.next()] })))
  await Promise.all(writers.map(put))
  const began = performance.now()
  let events = 0
  await Promise.all(
    writers.map(async (writer) => {
      while (performance.now() - began < ms) {
        const { added } = await put(writer)
        // `events += await …` would lose the counts of other writers.
        events += added
      }
    }),
  )
  // `stored` includes the first append of each writer, which was not timed.
  return { events, stored: events + clients * batch, ms: performance.now() - began }
}

/** Writes at a fixed rate, machine after machine, through a sink like an agent host's; falling behind does not slow it. */
async function pace({ perSecond, ms }) {
  const turns = [...nodes.values()]
  const count = Math.round((perSecond * ms) / 1000)
  const began = performance.now()
  let failure
  for (let index = 0; index < count; index++) {
    const wait = began + (index / perSecond) * 1000 - performance.now()
    if (wait > 0) await sleep(wait)
    // Behind schedule: yield anyway, so that earlier writes proceed.
    else if (index % 20 === 19) await yieldTurn()
    const { next, sink } = turns[index % turns.length]
    // Awaiting one write would delay the other machines.
    sink.write(next())?.catch((error) => (failure = error))
  }
  await Promise.all(turns.map(({ sink }) => sink.flush()))
  if (failure) throw new Error('Events could not be stored', { cause: failure })
  return { events: count, ms: performance.now() - began }
}

/** Sends heartbeats like servers do, spread over the interval. */
async function sendHeartbeats() {
  isSendingHeartbeats = true
  for (;;) {
    const names = [...nodes.keys()]
    if (names.length === 0) await sleep(heartbeatMs, undefined, { ref: false })
    for (const name of names) {
      await sleep(heartbeatMs / names.length, undefined, { ref: false })
      if (!nodes.has(name)) break
      await sendHeartbeat(name).catch(() => {})
    }
  }
}

function sendHeartbeat(name) {
  return ledger.nodes.heartbeat({ id: name, name, version: '0.0.0', live: [] })
}

/** The CPU time so far in milliseconds. */
function readProcessor() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
