import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '@remora/ledger-postgres'
import { tsImport } from 'tsx/esm/api'
import { createRandom } from '../../bench/lib/corpus.mjs'
import { Load } from './live/load.mjs'
import { endAll } from './live/processes.mjs'
import { answerPending, runFaults, shutDown, waitUntilIdle } from './live/run.mjs'
import { verify } from './live/verify.mjs'
import { answerRandomly, Watcher } from './live/watcher.mjs'
import { createFaults } from './nodes/faults.mjs'
import { createMachine } from './nodes/machine.mjs'
import { Network } from './nodes/network.mjs'

const names = ['a', 'b', 'c', 'd']
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Four machines share one PostgreSQL. Agents run on two of them, and clients of all four send prompts. Kills servers, cuts
 * the network between a machine and the database, restarts and crashes the database. At the end every event must exist
 * once, every answer must have been applied once, and every client must have the same events.
 */
export async function breakNodes({ points, seed }) {
  const { startPostgres } = await tsImport('../../testkit/src/postgres.ts', import.meta.url)
  // Short, because the path of a socket has a limit.
  const folder = mkdtempSync('/tmp/rn-')
  const { network, why } = Network.open(names)
  console.log(
    network
      ? `Every machine has its own network namespace (${network.range}).`
      : `Network namespaces are unavailable (${why}): every machine has its own TCP proxy instead.`,
  )
  const machines = []
  const cleanUp = () => {
    for (const { home, remoraHome } of machines) endAll(home, join(remoraHome, 'tmux.sock'))
    network?.remove()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
  const interrupted = () => {
    cleanUp()
    process.exit(130)
  }
  for (const signal of signals) process.on(signal, interrupted)
  // With fsync, commits survive a crash of the database.
  const postgres = await startPostgres({ fsync: 'on', ...(network ? { reach: network } : {}) })
  const stage = { folder, watchers: [], homes: [] }
  let ledger
  try {
    const database = await postgres.createDatabase('remora')
    for (const name of names)
      machines.push(await createMachine({ folder, name, postgres, database, network }))
    stage.homes = machines.map(({ home }) => home)
    await Promise.all(machines.map(({ server }) => server.start()))
    // This ledger bypasses the machines' faults; only the database's own faults affect it.
    ledger = await openPostgres({ url: database })
    stage.watchers.push(...machines.map((machine, index) => watch(machine, createRandom(seed + 10 + index))))
    const loads = machines
      .slice(0, 2)
      .map(
        (machine, index) =>
          new Load({ ...machine, ledger, watchers: stage.watchers }, createRandom(seed + 2 + index)),
      )
    await Promise.all(loads.map((load) => load.begin()))
    const stop = new AbortController()
    const answering = answerPending(ledger, stop.signal)
    const random = createRandom(seed)
    const faults = createFaults({ machines, watchers: stage.watchers, postgres, loads, random })
    const counts = await runFaults({ faults, points, random })
    console.log(JSON.stringify(counts))
    await Promise.all(loads.map((load) => load.end()))
    const unfinished = await waitUntilIdle(
      ledger,
      stage.watchers,
      machines.map(({ remoraHome }) => remoraHome),
    )
    stop.abort()
    await answering
    const problems = await verify({ ledger, stage, loads })
    problems.push(...unfinished)
    for (const machine of machines) problems.push(...(await shutDown(machine)))
    if (problems.length > 0)
      for (const { name, server } of machines) console.error(`${name}:\n${server.readLogEnd()}`)
    return problems.slice(0, 40)
  } finally {
    for (const watcher of stage.watchers) await watcher.close()
    await ledger?.close()
    for (const { line } of machines) await line.close()
    cleanUp()
    await postgres.stop()
    for (const signal of signals) process.off(signal, interrupted)
  }
}

/** Opens a client on a machine's unix socket, which shows the sessions of all machines. */
function watch({ name, remoraHome }, random) {
  const open = () => ({ url: `ws+unix://${join(remoraHome, 'server.sock')}:/api/ws`, headers: {} })
  return new Watcher(`the client of ${name}`, { open, onAsk: answerRandomly(random, `answer-${name}`) })
}
