// The capacity of one database for many machines, SQLite beside PostgreSQL: against pgbench's plain inserts in alternating
// rounds; simulated machines at a fixed and at a growing rate; readers; and a server with clients. The bench starts its
// own PostgreSQL on loopback, with default settings and fsync on.
// Usage: node bench/scale.mjs [--smoke] [--inserts] [--flush-ms <n>]
// (needs `npm run build`, and PostgreSQL, which `npm test` installs)
// --inserts runs only the comparison with pgbench. --flush-ms simulates a disk whose flush takes that much longer.
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { formatLoad } from './lib/numbers.mjs'
import { startCluster } from './lib/scale-cluster.mjs'
import { measureHub } from './lib/scale-hub.mjs'
import { compareInserts } from './lib/scale-inserts.mjs'
import { measureNodes } from './lib/scale-nodes.mjs'
import { measureReaders } from './lib/scale-readers.mjs'

const smoke = process.argv.includes('--smoke')
const flushMs = process.argv.includes('--flush-ms')
  ? Number(process.argv[process.argv.indexOf('--flush-ms') + 1])
  : 0
// PostgreSQL accepts no more than 100 ms.
if (!(flushMs >= 0 && flushMs <= 100)) throw new Error('--flush-ms takes milliseconds, 100 at most')
const plan = smoke
  ? {
      inserts: { batches: [10], rounds: 1, seconds: 0.3, clients: 2, warmMs: 30 },
      nodes: { counts: [2], processes: 1, fixed: 50, seconds: 0.5, first: 100, most: 100, growSeconds: 0.5 },
      readers: { counts: [1], processes: 1, perSecond: 50, seconds: 0.5 },
    }
  : {
      inserts: { batches: [1, 10, 100, 500], rounds: 3, seconds: 2, clients: 4, warmMs: 3000 },
      nodes: {
        counts: [1, 10, 100, 1000],
        processes: 10,
        fixed: 500,
        seconds: 4,
        first: 1000,
        most: 64_000,
        growSeconds: 1.5,
      },
      readers: { counts: [1, 5, 20], processes: 2, perSecond: 200, seconds: 4 },
      hub: { clients: [1, 10, 100], perSecond: 100, seconds: 4 },
    }

/** Above this load, other processes take an unknown part of the two cores. */
const quiet = 2
const began = performance.now()
const folder = mkdtempSync('/tmp/rscale-')
const cluster = await startCluster({ flushMs })
let stopped = false
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.once(signal, () => {
    stopped = true
    void stop().finally(() => process.exit(code))
  })
try {
  console.log(`load of the machine           ${formatLoad()}`)
  if (!smoke && loadavg()[0] > quiet)
    console.log(
      'The machine is busy: rates, delays and ratios mean little, processor times and sizes a little more.',
    )
  console.log(`PostgreSQL                    ${await readSettings()}`)
  const place = { cluster, folder }
  const held = await compareInserts(place, plan.inserts)
  if (!process.argv.includes('--inserts')) {
    await measureNodes(place, plan.nodes)
    await measureReaders(place, plan.readers)
    if (plan.hub) await measureHub(place, plan.hub)
  }
  console.log(`load of the machine           ${formatLoad()}`)
  console.log(`took                          ${((performance.now() - began) / 1000).toFixed(0)} s`)
  if (smoke) console.log('A smoke run: too short for conclusions.')
  else if (!held) process.exitCode = 1
} catch (error) {
  // Stopping the bench makes the current step fail.
  if (!stopped) throw error
} finally {
  await stop()
}

/** The child processes of the bench end with this process. */
async function stop() {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function readSettings() {
  const names = [
    'server_version',
    'fsync',
    'synchronous_commit',
    'shared_buffers',
    'max_connections',
    'max_wal_size',
    'commit_delay',
  ]
  const rows = await cluster.query(
    'postgres',
    `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join()}`,
  )
  return names
    .map((name) => (name === 'server_version' ? rows[0][name] : `${name} ${rows[0][name]}`))
    .join(', ')
}
