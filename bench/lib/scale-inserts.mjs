// Appends against pgbench's plain inserts: an append has as many events as a transaction has rows.
import { join } from 'node:path'
import { median } from './numbers.mjs'
import { startFleet } from './scale-fleet.mjs'
import { preparePgbench } from './scale-pgbench.mjs'
import { readRowBytes } from './scale-sizes.mjs'

const minimumRatio = 1 / 3

/** Prints a line per batch size. @returns whether the limit was held for all of them */
export async function compareInserts(place, { batches, rounds, seconds, clients, warmMs }) {
  const { cluster, folder } = place
  const url = await cluster.createDatabase('inserts')
  const startShared = (processes) => startFleet((node) => ({ url, node }), { processes, readers: 0 })
  const fleets = await Promise.all([
    startShared(2),
    startShared(clients),
    startFleet({ file: join(folder, 'inserts.db') }, { processes: 1, readers: 0 }),
  ])
  const [pairs, alone, file] = fleets
  const writers = {
    // A process batches the events that arrive during an append.
    pairs: (options) => pairs.flood({ ...options, clients: clients / 2 }),
    alone: (options) => alone.flood({ ...options, clients: 1 }),
    // Only one process at a time can write to a file; more would only wait for each other.
    file: (options) => file.flood({ ...options, clients: 1 }),
  }
  try {
    // After some hundred appends, processes and connections are several times as fast, and real ones run for days.
    for (const batch of [1, 100])
      for (const flood of Object.values(writers)) await flood({ batch, ms: warmMs })
    const bytes = await readRowBytes(cluster, 'inserts')
    const plain = await preparePgbench(place, { rowBytes: bytes, batches, clients })
    console.log(
      `\nappend against pgbench: rows of ${bytes.toFixed(0)} bytes, ${clients} clients, median of ${rounds} alternating rounds of ` +
        `${seconds} s; rows/s or events/s, and the ratio to pgbench's one INSERT for all rows of a transaction`,
    )
    console.log(
      `${'batch'.padStart(7)}   ${['one INSERT', 'single ones', '2 processes', `${clients} processes`, 'SQLite'].map((title) => title.padStart(14)).join('')}` +
        '   processor ms/event: database of pgbench, of ours, our writer (2 processes)',
    )
    let held = true
    for (const batch of batches) {
      const all = []
      for (let round = 0; round < rounds; round++)
        all.push(await measureRound({ cluster, plain, writers }, { batch, seconds }))
      held = printBatch(batch, all) && held
    }
    return held
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.stop()))
  }
}

async function measureRound({ cluster, plain, writers }, { batch, seconds }) {
  const measured = async (work) => {
    const began = cluster.processorMs()
    const result = await work()
    return { ...result, database: (cluster.processorMs() - began) / result.stored }
  }
  const flood = async (writer) => {
    const before = await countEvents(cluster)
    const result = await measured(() => writer({ batch, ms: seconds * 1000 }))
    // Rates use the writers' counts, so check them against the database.
    const stored = (await countEvents(cluster)) - before
    if (stored !== result.stored)
      throw new Error(`${result.stored} events were counted, and ${stored} stored`)
    return { ...result, writer: result.processor / stored }
  }
  return {
    together: await measured(() => plain({ how: 'together', batch, seconds })),
    pairs: await flood(writers.pairs),
    apart: await measured(() => plain({ how: 'single', batch, seconds })),
    alone: await flood(writers.alone),
    file: await writers.file({ batch, ms: seconds * 1000 }),
  }
}

async function countEvents(cluster) {
  const [{ seq }] = await cluster.query('inserts', 'SELECT seq FROM head')
  return Number(seq)
}

/**
 * The limit applies to the faster of pgbench's two ways to insert, with clients that share processes like pgbench's. The
 * rate with one process per client is only printed: on two cores those processes cost as much as the database.
 */
function printBatch(batch, all) {
  const getMedian = (name, what = 'rate') => median(all.map((round) => round[name][what]))
  const ratios = ['pairs', 'alone'].map((name) => getMedian(name) / getMedian('together'))
  const held = ratios[0] >= minimumRatio
  const rate = (name, ratio) =>
    `${getMedian(name).toFixed(0)}${ratio === undefined ? '' : ` ${ratio.toFixed(2)}`}`
  const columns = [
    rate('together'),
    rate('apart'),
    rate('pairs', ratios[0]),
    rate('alone', ratios[1]),
    rate('file'),
  ]
  const times = [
    getMedian('together', 'database'),
    getMedian('pairs', 'database'),
    getMedian('pairs', 'writer'),
  ]
  console.log(
    `${String(batch).padStart(7)}   ${columns.map((column) => column.padStart(14)).join('')}   ` +
      `${times.map((time) => time.toFixed(3)).join(', ')}   ` +
      `at least 1/3: ${held ? 'held' : 'MISSED'}`,
  )
  return held
}
