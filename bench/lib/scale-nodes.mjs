// Machines that write to one ledger: at a fixed total rate, then at a rate that doubles until they fall behind.
import { join } from 'node:path'
import { formatMs } from './numbers.mjs'
import { startFleet } from './scale-fleet.mjs'
import { getSizePerEvent, readPostgresSize, readSqliteSize } from './scale-sizes.mjs'

/** A rate counts as held if at minimumShare this share of the offered events arrives in time. */
const minimumShare = 0.9
/** The most machines that share one SQLite file. */
const maximumPerFile = 10

export async function measureNodes({ cluster, folder }, plan) {
  console.log(
    `\nmachines: up to ${plan.processes} are processes with a handle of their own; beyond that each process writes for many, ` +
      'with a sink, a session and a beat every 10 s for each; one reader in another process',
  )
  for (const count of plan.counts) {
    await measureEngine(await createPostgresEngine(cluster, count), count, plan)
    if (count <= maximumPerFile) await measureEngine(createSqliteEngine(folder, count), count, plan)
  }
}

async function createPostgresEngine(cluster, count) {
  const database = `nodes_${count}`
  await cluster.createDatabase(database)
  return {
    title: 'PostgreSQL',
    beats: true,
    place: (node) => ({ url: cluster.url(database), node }),
    size: () => readPostgresSize(cluster, database),
    processorMs: cluster.processorMs,
  }
}

function createSqliteEngine(folder, count) {
  const file = join(folder, `nodes-${count}.db`)
  return {
    title: 'SQLite',
    beats: false,
    place: { file },
    size: () => readSqliteSize(file),
    // SQLite runs inside the writers.
    processorMs: () => 0,
  }
}

async function measureEngine(engine, count, plan) {
  const fleet = await startFleet(engine.place, { processes: Math.min(count, plan.processes) })
  try {
    await fleet.meet(count, { prefix: 'n', beats: engine.beats })
    const before = await engine.size()
    const fixed = await step(fleet, engine, { perSecond: plan.fixed, ms: plan.seconds * 1000 })
    const each = getSizePerEvent(before, await engine.size())
    print(engine, count, 'fixed', fixed)
    console.log(
      `  ${''.padEnd(12)}${''.padStart(6)}  per event: ${each.bytes.toFixed(0)} bytes, ${each.rows.toFixed(2)} rows` +
        (each.log ? `, ${each.log.toFixed(0)} bytes of log` : ''),
    )
    for (let perSecond = plan.first; perSecond <= plan.most; perSecond *= 2) {
      const result = await step(fleet, engine, { perSecond, ms: plan.growSeconds * 1000 })
      const behind = result.held < minimumShare * result.offered
      print(engine, count, behind ? 'behind' : 'held', result)
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

function print({ title }, count, what, { offered, held, p50, p99, events, appends, database, processor }) {
  console.log(
    `  ${title.padEnd(12)}${String(count).padStart(6)}  ${what.padEnd(7)} offered ${offered.toFixed(0).padStart(6)}/s   ` +
      `held ${held.toFixed(0).padStart(6)}/s   delay p50 ${formatMs(p50)} p99 ${formatMs(p99)}   ` +
      `${(events / appends).toFixed(1).padStart(6)} events/append   ` +
      `processor ${database.toFixed(2)} + ${processor.toFixed(2)} ms/event`,
  )
}
