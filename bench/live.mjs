// The delay of an event from the agent's process to a client while another client does not read: ours against HAPI's hub
// in alternating rounds. Both use SQLite with a write-ahead log and synchronous = NORMAL. Then the server's start time,
// idle costs and installed size.
// Usage: node bench/live.mjs [--smoke | --rounds]       (needs `npm run build`; the hub is installed on demand)
import { mkdtempSync, rmSync } from 'node:fs'
import {
  measureIdle,
  measureInstalledSize,
  getSize,
  measureNodeStart,
  measureStart,
} from './lib/live-costs.mjs'
import { installPeer, peers, versions } from './lib/live-peers.mjs'
import { measureRound } from './lib/live-rounds.mjs'
import { other, ours } from './lib/live-systems.mjs'
import { formatLoad, formatMs, median, quantile } from './lib/numbers.mjs'

const smoke = process.argv.includes('--smoke')
const roundsOnly = process.argv.includes('--rounds')
const rounds = smoke ? 1 : 5
const load = smoke
  ? { lengths: [1000], paced: 40, perSecond: 200, burst: 500 }
  : { lengths: [1000, 4000], paced: 600, perSecond: 200, burst: 10_000 }
const goals = { start: 300, percent: 0.1, memory: 80, size: 60 }

// Short, because the path of a socket has a limit.
const folder = mkdtempSync('/tmp/rb-')
try {
  const missing = smoke ? 'not in a smoke run' : installPeer()
  if (missing) console.log(`hapi hub                      skipped: ${missing}`)
  const systems = missing ? [ours] : [ours, other]
  console.log(`load of the machine           ${formatLoad()}`)
  await compareRounds(systems)
  if (!smoke && !roundsOnly) await compareCosts(systems)
  console.log(`load of the machine           ${formatLoad()}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Alternating rounds, so that other load on the machine slows both alike. */
async function compareRounds(systems) {
  const all = new Map(systems.map((system) => [system, []]))
  for (let round = 0; round < rounds; round++)
    for (const system of systems) all.get(system).push(await measureRound(system, folder, load))
  for (const [index, length] of load.lengths.entries()) {
    const getSummary = (system) => summarize(all.get(system).map(({ results }) => results[index]))
    console.log(
      `events of ${length} bytes: ${load.paced} at ${load.perSecond}/s, then ${load.burst} at once, ` +
        `median of ${rounds} alternating rounds`,
    )
    for (const system of systems) {
      const { p50, p99, rate, grown } = getSummary(system)
      console.log(
        `  ${system.title.padEnd(28)} p50 ${formatMs(p50)}   p99 ${formatMs(p99)}   ${rate.toFixed(0).padStart(6)}/s` +
          `   memory in the rush ${formatChange(grown)} MB`,
      )
    }
    if (systems.length < 2) continue
    const [mine, theirs] = systems.map(getSummary)
    checkLimit('p50 over that of HAPI', mine.p50 / theirs.p50, (ratio) => ratio < 1, 'less than 1')
    checkLimit('p99 over that of HAPI', mine.p99 / theirs.p99, (ratio) => ratio <= 1.5, 'at most 1.5')
    checkLimit('rate over that of HAPI', mine.rate / theirs.rate, (ratio) => ratio > 1, 'more than 1')
  }
  for (const system of systems) {
    const grown = median(all.get(system).map((each) => each.grown))
    console.log(`  ${`peak of ${system.title}`.padEnd(28)} ${formatChange(grown)} MB over its start`)
  }
}

function summarize(results) {
  const getMedian = (value) => median(results.map(value))
  return {
    p50: getMedian(({ ages }) => quantile(ages, 0.5)),
    p99: getMedian(({ ages }) => quantile(ages, 0.99)),
    rate: getMedian(({ rate }) => rate),
    grown: getMedian(({ grown }) => grown),
  }
}

async function compareCosts(systems) {
  const starts = new Map(systems.map((system) => [system, []]))
  const bare = []
  for (let round = 0; round < 10; round++) {
    bare.push(measureNodeStart())
    for (const system of systems) starts.get(system).push(await measureStart(system, folder))
  }
  console.log('start until /health answers, median of 10; node -e 0 alternating with them')
  console.log(`  ${'node -e 0'.padEnd(28)} ${formatMs(median(bare))}`)
  for (const [system, list] of starts)
    console.log(
      `  ${system.title.padEnd(28)} ${formatMs(median(list))}   ${(median(list) / median(bare)).toFixed(1)} times`,
    )
  reportGoal('start', median(starts.get(ours)), goals.start, 'ms')
  console.log('idle for 10 s, then watched for 20 s')
  for (const system of systems) {
    const { percent, memory } = await measureIdle(system, folder, { settleMs: 10_000, watchMs: 20_000 })
    const costs = `${percent.toFixed(2)} % of a processor   ${memory.toFixed(0)} MB`
    console.log(`  ${system.title.padEnd(28)} ${costs}`)
    if (system !== ours) continue
    reportGoal('idle processor', percent, goals.percent, '%')
    reportGoal('idle memory', memory, goals.memory, 'MB')
  }
  console.log('installed by npm, with all dependencies')
  const sizes = measureInstalledSize(folder)
  const total = sizes.reduce((sum, { size }) => sum + size, 0)
  const heavy = sizes.slice(0, 8).map(({ name, size }) => `${name} ${size.toFixed(1)}`)
  console.log(`  ${'@remora/cli'.padEnd(28)} ${total.toFixed(0)} MB   ${heavy.join(', ')}`)
  if (systems.includes(other))
    console.log(
      `  ${`@twsxtd/hapi ${versions['@twsxtd/hapi']}`.padEnd(28)} ` +
        `${getSize(`${peers}/node_modules/@twsxtd`).toFixed(0)} MB`,
    )
  reportGoal('installed size', total, goals.size, 'MB')
}

/** The times of a single round mean nothing, so a smoke run only prints them. */
function checkLimit(title, ratio, holds, wanted) {
  const held = holds(ratio)
  console.log(
    `  ${title.padEnd(28)} ${ratio.toFixed(2).padStart(8)}   ${wanted}: ${held ? 'held' : 'MISSED'}`,
  )
  if (!held && !smoke) process.exitCode = 1
}

/** A goal, not a limit: these values depend on the machine or on other packages. */
function reportGoal(title, value, wanted, unit) {
  console.log(
    `  ${`goal for ${title}`.padEnd(28)} ${value.toFixed(value < 10 ? 2 : 0).padStart(8)} ${unit}` +
      `   at most ${wanted} ${unit}: ${value <= wanted ? 'reached' : 'not reached'}`,
  )
}

function formatChange(megabytes) {
  return `${megabytes < 0 ? '−' : '+'}${Math.abs(megabytes).toFixed(0)}`
}
