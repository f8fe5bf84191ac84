// How fast an event comes from the process that holds the agent to a client, with another client beside that does not
// read: ours against HAPI's hub, both durable alike (SQLite with a write-ahead log, synchronous = NORMAL), in alternating
// rounds. Then what the server costs: until it answers, while it is idle, and on the disk.
// Usage: node bench/live.mjs [--smoke | --rounds]       (needs `npm run build`; the hub is installed on demand)
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { idleCosts, installedSize, getSize, timeOfNode, timeOfStart } from './lib/live-costs.mjs'
import { missingPeer, peers, versions } from './lib/live-peers.mjs'
import { measureRound } from './lib/live-rounds.mjs'
import { other, ours } from './lib/live-systems.mjs'
import { median } from './lib/median.mjs'
import { quantile } from './lib/quantile.mjs'

const smoke = process.argv.includes('--smoke')
const roundsOnly = process.argv.includes('--rounds')
const rounds = smoke ? 1 : 5
const load = smoke
  ? { lengths: [1000], paced: 40, perSecond: 200, burst: 500 }
  : { lengths: [1000, 4000], paced: 600, perSecond: 200, burst: 10_000 }
const aims = { start: 300, percent: 0.1, memory: 80, size: 60 }

// Short, since sockets lie in it.
const folder = mkdtempSync('/tmp/rb-')
try {
  const missing = smoke ? 'not in a smoke test' : missingPeer()
  if (missing) console.log(`hapi hub                      left out: ${missing}`)
  const systems = missing ? [ours] : [ours, other]
  console.log(`load of the machine           ${sayLoad()}`)
  await compareRounds(systems)
  if (!smoke && !roundsOnly) await compareCosts(systems)
  console.log(`load of the machine           ${sayLoad()}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Alternating, so that a machine that grows busy slows both alike. */
async function compareRounds(systems) {
  const all = new Map(systems.map((system) => [system, []]))
  for (let round = 0; round < rounds; round++)
    for (const system of systems) all.get(system).push(await measureRound(system, folder, load))
  for (const [index, length] of load.lengths.entries()) {
    const of = (system) => summary(all.get(system).map(({ results }) => results[index]))
    console.log(
      `events of ${length} bytes: ${load.paced} at ${load.perSecond}/s, then ${load.burst} at once, ` +
        `median of ${rounds} alternating rounds`,
    )
    for (const system of systems) {
      const { p50, p99, rate, grown } = of(system)
      console.log(
        `  ${system.title.padEnd(28)} p50 ${inMs(p50)}   p99 ${inMs(p99)}   ${rate.toFixed(0).padStart(6)}/s` +
          `   memory in the rush ${signed(grown)} MB`,
      )
    }
    if (systems.length < 2) continue
    const [mine, theirs] = systems.map(of)
    judge('p50 over that of HAPI', mine.p50 / theirs.p50, (ratio) => ratio < 1, 'less than 1')
    judge('p99 over that of HAPI', mine.p99 / theirs.p99, (ratio) => ratio <= 1.5, 'at most 1.5')
    judge('rate over that of HAPI', mine.rate / theirs.rate, (ratio) => ratio > 1, 'more than 1')
  }
  for (const system of systems) {
    const grown = median(all.get(system).map((each) => each.grown))
    console.log(`  ${`peak of ${system.title}`.padEnd(28)} ${signed(grown)} MB over its start`)
  }
}

function summary(results) {
  const of = (value) => median(results.map(value))
  return {
    p50: of(({ ages }) => quantile(ages, 0.5)),
    p99: of(({ ages }) => quantile(ages, 0.99)),
    rate: of(({ rate }) => rate),
    grown: of(({ grown }) => grown),
  }
}

async function compareCosts(systems) {
  const starts = new Map(systems.map((system) => [system, []]))
  const bare = []
  for (let round = 0; round < 10; round++) {
    bare.push(timeOfNode())
    for (const system of systems) starts.get(system).push(await timeOfStart(system, folder))
  }
  console.log('start until /health answers, median of 10; node -e 0 alternating with them')
  console.log(`  ${'node -e 0'.padEnd(28)} ${inMs(median(bare))}`)
  for (const [system, list] of starts)
    console.log(
      `  ${system.title.padEnd(28)} ${inMs(median(list))}   ${(median(list) / median(bare)).toFixed(1)} times`,
    )
  aim('start', median(starts.get(ours)), aims.start, 'ms')
  console.log('idle for 10 s, then watched for 20 s')
  for (const system of systems) {
    const { percent, memory } = await idleCosts(system, folder, { settleMs: 10_000, watchMs: 20_000 })
    const costs = `${percent.toFixed(2)} % of a processor   ${memory.toFixed(0)} MB`
    console.log(`  ${system.title.padEnd(28)} ${costs}`)
    if (system !== ours) continue
    aim('idle processor', percent, aims.percent, '%')
    aim('idle memory', memory, aims.memory, 'MB')
  }
  console.log('installed by npm, with all dependencies')
  const sizes = installedSize(folder)
  const total = sizes.reduce((sum, { size }) => sum + size, 0)
  const heavy = sizes.slice(0, 8).map(({ name, size }) => `${name} ${size.toFixed(1)}`)
  console.log(`  ${'@remora/cli'.padEnd(28)} ${total.toFixed(0)} MB   ${heavy.join(', ')}`)
  if (systems.includes(other))
    console.log(
      `  ${`@twsxtd/hapi ${versions['@twsxtd/hapi']}`.padEnd(28)} ` +
        `${getSize(`${peers}/node_modules/@twsxtd`).toFixed(0)} MB`,
    )
  aim('installed size', total, aims.size, 'MB')
}

/** Times of a single round mean nothing, so a smoke test only shows them. */
function judge(title, ratio, holds, wanted) {
  const held = holds(ratio)
  console.log(
    `  ${title.padEnd(28)} ${ratio.toFixed(2).padStart(8)}   ${wanted}: ${held ? 'held' : 'MISSED'}`,
  )
  if (!held && !smoke) process.exitCode = 1
}

/** An aim is not a limit: these depend on the machine, or on what others ship. */
function aim(title, value, wanted, unit) {
  console.log(
    `  ${`aim of ${title}`.padEnd(28)} ${value.toFixed(value < 10 ? 2 : 0).padStart(8)} ${unit}` +
      `   at most ${wanted} ${unit}: ${value <= wanted ? 'reached' : 'not reached'}`,
  )
}

function inMs(ms) {
  return `${ms.toFixed(ms < 100 ? 2 : 0).padStart(7)} ms`
}

function signed(megabytes) {
  return `${megabytes < 0 ? '−' : '+'}${Math.abs(megabytes).toFixed(0)}`
}

function sayLoad() {
  return `${loadavg()[0].toFixed(1)} in the last minute`
}
