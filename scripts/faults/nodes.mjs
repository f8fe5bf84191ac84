import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '@remora/ledger-postgres'
import { tsImport } from 'tsx/esm/api'
import { createRandom } from '../../bench/lib/corpus.mjs'
import { Load } from './live/load.mjs'
import { look } from './live/look.mjs'
import { endAll, listProcesses } from './live/processes.mjs'
import { answerAll, breakAll, rest } from './live/run.mjs'
import { Watcher } from './live/watcher.mjs'
import { createFaults } from './nodes/faults.mjs'
import { makeMachine } from './nodes/machine.mjs'
import { Network } from './nodes/network.mjs'

const names = ['a', 'b', 'c', 'd']
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Four machines and one PostgreSQL. On two of them agents work, and all four drive them. Servers are killed, the network
 * between a machine and the database is cut, the database is restarted and crashes. In the end every event must be there
 * once, every answer have counted once, and every reader know the same.
 */
export async function breakNodes({ points, seed }) {
  const { startPostgres } = await tsImport('../../testkit/src/postgres.ts', import.meta.url)
  // Short, since the path of a socket has its limits.
  const folder = mkdtempSync('/tmp/rn-')
  const { network, why } = Network.open(names)
  console.log(
    network
      ? `Every machine has a network namespace of its own (${network.range}).`
      : `No network namespaces here (${why}): every machine has a TCP line of its own instead.`,
  )
  const machines = []
  const forget = () => {
    for (const { home, remoraHome } of machines) endAll(home, join(remoraHome, 'tmux.sock'))
    network?.remove()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
  const interrupted = () => {
    forget()
    process.exit(130)
  }
  for (const signal of signals) process.on(signal, interrupted)
  // What is committed stays, also where the database crashes.
  const postgres = await startPostgres({ fsync: 'on', ...(network ? { reach: network } : {}) })
  const stage = { folder, watchers: [], homes: [] }
  let ledger
  try {
    const database = await postgres.createDatabase('remora')
    for (const name of names) machines.push(await makeMachine({ folder, name, postgres, database, network }))
    stage.homes = machines.map(({ home }) => home)
    await Promise.all(machines.map(({ server }) => server.start()))
    // Somebody who only looks, past all that breaks but the database itself.
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
    const sweeping = answerAll(ledger, stop.signal)
    const random = createRandom(seed)
    const faults = createFaults({ machines, watchers: stage.watchers, postgres, loads, random })
    const counts = await breakAll({ faults, points, random })
    console.log(JSON.stringify(counts))
    await Promise.all(loads.map((load) => load.end()))
    const restless = await rest(
      ledger,
      stage.watchers,
      machines.map(({ remoraHome }) => remoraHome),
    )
    stop.abort()
    await sweeping
    const problems = await look({ ledger, stage, loads })
    problems.push(...restless)
    for (const machine of machines) problems.push(...(await leave(machine)))
    if (problems.length > 0) for (const machine of machines) console.error(lastWords(machine))
    return problems.slice(0, 40)
  } finally {
    for (const watcher of stage.watchers) await watcher.close()
    await ledger?.close()
    for (const { line } of machines) await line.close()
    forget()
    await postgres.stop()
    for (const signal of signals) process.off(signal, interrupted)
  }
}

/** A program of the user at one machine, who sees all of them. */
function watch({ name, remoraHome }, random) {
  let count = 0
  const open = () => ({ url: `ws+unix://${join(remoraHome, 'server.sock')}:/api/ws`, headers: {} })
  const onAsk = (watcher, { agent, session, ask }) => {
    if (random() < 0.4) return
    const option = ask.options[Math.floor(random() * Math.min(3, ask.options.length))].id
    const body = { kind: 'answer', ask: ask.id, digest: ask.digest, option }
    setTimeout(() => watcher.command(`answer-${name}-${++count}`, { agent, session }, body), random() * 300)
  }
  return new Watcher(`the client at ${name}`, { open, onAsk })
}

/** Ends the agents and the server of a machine; nothing may stay. */
async function leave({ name, server, home }) {
  const own = async () =>
    ((await server.ask('GET', '/api/live')).live ?? []).filter(({ node }) => node === undefined)
  for (const { id, state } of await own())
    if (state !== 'ended') await server.ask('POST', `/api/live/${id}/end`, {})
  for (let wait = 0; wait < 240 && (await own()).some(({ state }) => state !== 'ended'); wait++)
    await sleep(250)
  const code = await server.stop()
  for (let wait = 0; wait < 120 && listProcesses(home).length > 0; wait++) await sleep(250)
  return [
    ...(code === 0 ? [] : [`The server of ${name} ended with ${code}`]),
    ...listProcesses(home).map(({ pid, words }) => `still runs at ${name}: ${pid} ${words}`),
  ]
}

function lastWords({ name, home }) {
  try {
    return `${name}:\n${readFileSync(join(home, 'server.log'), 'utf8').split('\n').slice(-15).join('\n')}`
  } catch {
    return ''
  }
}
