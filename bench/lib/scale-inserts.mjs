// Appends against pgbench's plain inserts, with as many events in one append as rows in one transaction.
import { join } from 'node:path'
import { median } from './median.mjs'
import { startFleet } from './scale-fleet.mjs'
import { preparePgbench } from './scale-pgbench.mjs'
import { rowBytes } from './scale-sizes.mjs'

const leastRatio = 1 / 3

/** Prints a line for each batch. @returns whether the limit was held with every one */
export async function compareInserts(place, plan) {
  const { cluster, folder } = place
  const { batches, rounds, seconds, processes, clients, warmMs } = plan
  const url = await cluster.createDatabase('inserts')
  const shared = await startFleet((node) => ({ url, node }), { processes, readers: 0 })
  const single = await startFleet({ file: join(folder, 'inserts.db') }, { processes, readers: 0 })
  try {
    // Programs and connections are several times as fast after some hundred appends, and both stay for days.
    for (const batch of [1, 100])
      for (const fleet of [shared, single]) await fleet.flood({ clients, batch, ms: warmMs })
    const bytes = await rowBytes(cluster, 'inserts')
    const inAll = processes * clients
    const plain = await preparePgbench(place, { rowBytes: bytes, batches, clients: inAll })
    console.log(
      `\nappend against pgbench: rows of ${bytes.toFixed(0)} bytes, ${inAll} clients in ${processes} processes ` +
        `(pgbench: ${Math.min(2, inAll)} threads), median of ${rounds} alternating rounds of ${seconds} s`,
    )
    console.log(
      'of one statement: all rows of a transaction in one INSERT; of single statements: an INSERT for each row',
    )
    console.log(
      '  batch   pgbench rows/s of one statement, of single ones   PostgreSQL events/s   ratio to each   SQLite events/s   ' +
        'processor ms/event: database of pgbench (each), of ours, our writer',
    )
    let held = true
    for (const batch of batches) {
      const all = []
      for (let round = 0; round < rounds; round++)
        all.push(await measureRound({ cluster, plain, shared, single }, { clients, batch, seconds }))
      held = say(batch, all) && held
    }
    return held
  } finally {
    await Promise.all([shared.stop(), single.stop()])
  }
}

async function measureRound({ cluster, plain, shared, single }, { clients, batch, seconds }) {
  const baseline = async (how) => {
    const began = cluster.processorMs()
    const { rate, stored } = await plain({ how, batch, seconds })
    return { rate, database: (cluster.processorMs() - began) / stored }
  }
  const together = await baseline('together')
  const before = await countEvents(cluster)
  const began = cluster.processorMs()
  const ours = await shared.flood({ clients, batch, ms: seconds * 1000 })
  const ended = cluster.processorMs()
  // Rates are made of what the writers counted: the database has the last word on that.
  const stored = (await countEvents(cluster)) - before
  if (stored !== ours.stored) throw new Error(`${ours.stored} events were counted, and ${stored} stored`)
  const apart = await baseline('single')
  // One process at a time can write into a file; more of them in one process would only wait for each other.
  const file = await single.flood({ clients: 1, batch, ms: seconds * 1000 })
  return {
    together: together.rate,
    apart: apart.rate,
    shared: ours.rate,
    single: file.rate,
    togetherDatabase: together.database,
    apartDatabase: apart.database,
    database: (ended - began) / ours.stored,
    writer: ours.processor / ours.stored,
  }
}

async function countEvents(cluster) {
  const [{ count }] = await cluster.query('inserts', 'SELECT count(*) FROM events')
  return Number(count)
}

/** The limit is meant against the harder of the two. */
function say(batch, all) {
  const of = (name) => median(all.map((round) => round[name]))
  const ratios = ['together', 'apart'].map((name) => of('shared') / of(name))
  const inMs = (name) => of(name).toFixed(3)
  const verdict = (ratio) => (ratio >= leastRatio ? 'held' : 'MISSED')
  console.log(
    `  ${String(batch).padStart(5)} ${of('together').toFixed(0).padStart(32)}, ${of('apart').toFixed(0).padStart(14)} ` +
      `${of('shared').toFixed(0).padStart(21)} ${ratios
        .map((ratio) => ratio.toFixed(2))
        .join(', ')
        .padStart(15)} ` +
      `${of('single').toFixed(0).padStart(17)}   ` +
      `${inMs('togetherDatabase')} (${inMs('apartDatabase')}), ${inMs('database')}, ${inMs('writer')}   ` +
      `at least 1/3: ${ratios.map(verdict).join(', ')}`,
  )
  return ratios[0] >= leastRatio
}
