// Machines that write into one ledger: at a fixed rate of all together, and at one that doubles until it is no longer held.
import { join } from 'node:path'
import { startFleet } from './scale-fleet.mjs'
import { perEvent, postgresSize, sqliteSize } from './scale-sizes.mjs'

/** One that holds less than this of what is offered falls behind. */
const least = 0.9
/** More machines than this are never the users of one file. */
const mostOfFile = 10

export async function measureNodes({ cluster, folder }, plan) {
  console.log(
    `\nmachines: up to ${plan.processes} are processes with a handle of their own; beyond that each process writes for many, ` +
      'with a sink, a session and a beat every 10 s for each; one reader in another process',
  )
  for (const count of plan.counts) {
    await measureEngine(await shared(cluster, count), count, plan)
    if (count <= mostOfFile) await measureEngine(single(folder, count), count, plan)
  }
}

async function shared(cluster, count) {
  const database = `nodes_${count}`
  await cluster.createDatabase(database)
  return {
    title: 'PostgreSQL',
    beats: true,
    place: (node) => ({ url: cluster.url(database), node }),
    size: () => postgresSize(cluster, database),
    processorMs: cluster.processorMs,
  }
}

function single(folder, count) {
  const file = join(folder, `nodes-${count}.db`)
  return {
    title: 'SQLite',
    beats: false,
    place: { file },
    size: () => sqliteSize(file),
    // It is a part of those who write.
    processorMs: () => 0,
  }
}

async function measureEngine(engine, count, plan) {
  const fleet = await startFleet(engine.place, { processes: Math.min(count, plan.processes) })
  try {
    await fleet.meet(count, { prefix: 'n', beats: engine.beats })
    const before = await engine.size()
    const fixed = await step(fleet, engine, { perSecond: plan.fixed, ms: plan.seconds * 1000 })
    const each = perEvent(before, await engine.size())
    say(engine, count, 'fixed', fixed)
    console.log(
      `  ${''.padEnd(12)}${''.padStart(6)}  per event: ${each.bytes.toFixed(0)} bytes, ${each.rows.toFixed(2)} rows` +
        (each.log ? `, ${each.log.toFixed(0)} bytes of log` : ''),
    )
    for (let perSecond = plan.first; perSecond <= plan.most; perSecond *= 2) {
      const result = await step(fleet, engine, { perSecond, ms: plan.growSeconds * 1000 })
      const behind = result.held < least * result.offered
      say(engine, count, behind ? 'behind' : 'held', result)
      if (behind) break
    }
  } finally {
    await fleet.stop()
  }
}

async function step(fleet, engine, options) {
  const before = engine.processorMs()
  const result = await fleet.pace(options)
  return { ...result, database: (engine.processorMs() - before) / result.events }
}

function say({ title }, count, what, { offered, held, p50, p99, events, appends, database, processor }) {
  console.log(
    `  ${title.padEnd(12)}${String(count).padStart(6)}  ${what.padEnd(7)} offered ${offered.toFixed(0).padStart(6)}/s   ` +
      `held ${held.toFixed(0).padStart(6)}/s   delay p50 ${inMs(p50)} p99 ${inMs(p99)}   ` +
      `${(events / appends).toFixed(1).padStart(6)} events/append   ` +
      `processor ${database.toFixed(2)} + ${processor.toFixed(2)} ms/event`,
  )
}

/** @example inMs(1.234) // '   1.23 ms' */
export function inMs(ms) {
  return `${ms.toFixed(ms < 100 ? 2 : 0).padStart(7)} ms`
}
