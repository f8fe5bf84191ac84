// The cost of an idle server, and its answers during a burst of events.
// Usage: node bench/load.mjs [--smoke | --idle | --burst]       (needs `npm run build`)
// REMORA_BENCH_CLI=<another build>/packages/cli/bin/remora.mjs measures another build.
import { mkdtempSync, rmSync } from 'node:fs'
import { measureBurst } from './lib/load-burst.mjs'
import { measureIdle } from './lib/load-idle.mjs'
import { formatLoad, formatMs, quantile } from './lib/numbers.mjs'

const smoke = process.argv.includes('--smoke')
const only = ['--idle', '--burst'].find((name) => process.argv.includes(name))
const idle = smoke ? { watchMs: 2000, quietMs: 500 } : { watchMs: 60_000, quietMs: 5000 }
const burst = smoke
  ? { events: 1000, clients: 5, perMessage: 20, bytes: 500, baseMs: 500, restMs: 500, quietMs: 500 }
  : { events: 10_000, clients: 40, perMessage: 20, bytes: 500, baseMs: 5000, restMs: 60_000, quietMs: 2000 }
const aims = { alone: 0.3, withClient: 0.5, turnMs: 100, memory: 1.2 }

// Short, since the path of a socket has a limit.
const folder = mkdtempSync('/tmp/rb-')
try {
  console.log(`load of the machine           ${formatLoad()}`)
  if (only !== '--burst') for (const sessions of smoke ? [20] : [0, 500]) await reportIdle(sessions)
  if (only !== '--idle') await reportBurst()
  console.log(`load of the machine           ${formatLoad()}`)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function reportIdle(sessions) {
  const { alone, withClient, memory } = await measureIdle(mkdtempSync(`${folder}/`), { ...idle, sessions })
  const title = sessions === 0 ? 'a new home' : `an import of ${sessions} sessions`
  console.log(`idle for ${idle.watchMs / 1000} s after ${title}, ${memory.toFixed(0)} MB`)
  judge('no client', alone, aims.alone, '% of a core')
  judge('one client', withClient, aims.withClient, '% of a core')
}

async function reportBurst() {
  const { base, during, ms, memory, turns } = await measureBurst(mkdtempSync(`${folder}/`), burst)
  console.log(`${burst.events} events to ${burst.clients} clients: all had them after ${ms.toFixed(0)} ms`)
  for (const [title, list] of [
    ['requests without a burst', base],
    ['requests during the burst', during],
  ])
    console.log(
      `  ${title.padEnd(28)} p50 ${formatQuantile(list, 0.5)}   p99 ${formatQuantile(list, 0.99)}   max ${formatQuantile(list, 1)}`,
    )
  const ratio = quantile(during, 0.5) / quantile(base, 0.5)
  console.log(`  ${'p50 over p50 without'.padEnd(28)} ${ratio.toFixed(1).padStart(8)}`)
  const longest = Math.max(0, ...turns.map(({ cpuMs }) => cpuMs))
  judge('longest turn of the loop', longest, aims.turnMs, 'ms of CPU')
  const { before, peak, after } = memory
  console.log(
    `  ${'memory'.padEnd(28)} ${before.toFixed(0)} MB before, ${peak.toFixed(0)} peak, ${after.toFixed(0)} after`,
  )
  judge('memory after over before', after / before, aims.memory, 'times')
}

/** A smoke run reports no missed limits. */
function judge(title, value, wanted, unit) {
  const isHeld = value <= wanted
  console.log(
    `  ${title.padEnd(28)} ${value.toFixed(2).padStart(8)} ${unit}   at most ${wanted}: ${isHeld ? 'held' : 'MISSED'}`,
  )
  if (!isHeld && !smoke) process.exitCode = 1
}

function formatQuantile(list, share) {
  return formatMs(quantile(list, share))
}
