import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listProcesses } from './processes.mjs'

/** How long nothing may change before the wait for idle fails. */
const idleTimeoutMs = 45_000
/** Faults that take longer are logged. */
const slowMs = 10_000

/** Injects faults until Ctrl+C. Returns their number by kind. */
export async function runFaults({ faults, points, random }) {
  const counts = {}
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  for (let point = 0; point < points && !stop.signal.aborted; point++) {
    const { name, happen } = faults.next()
    counts[name] = (counts[name] ?? 0) + 1
    await sleep(random() * 400)
    const began = Date.now()
    await happen()
    if (Date.now() - began > slowMs) console.log(`${name}: ${Date.now() - began} ms`)
    if (process.stdout.isTTY) process.stdout.write(`\r${point + 1} of ${points} `)
  }
  if (process.stdout.isTTY) process.stdout.write('\n')
  return counts
}

/** Answers pending asks from another process, like `remora answer`. */
export async function answerPending(ledger, signal) {
  while (!signal.aborted) {
    await sleep(1_500, undefined, { signal }).catch(() => {})
    for (const { ask, agent, session } of await ledger.asks.pending().catch(() => []))
      await ledger.asks
        .answer(
          { agent, session },
          { ask: ask.id, digest: ask.digest, option: ask.options[0].id, by: 'person' },
        )
        .catch(() => {})
  }
}

/** Waits until no command, ask or spooled event is pending and all clients have reached the end of the ledger. */
export async function waitUntilIdle(ledger, watchers, remoraHomes) {
  let deadline = Date.now() + idleTimeoutMs
  let quiet = 0
  for (let before; quiet < 8 && Date.now() < deadline; await sleep(250)) {
    const { seq } = await ledger.head()
    const commands = await ledger.commands.list()
    const waiting = commands.filter(({ state }) => state === 'queued' || state === 'sent').length
    const asks = (await ledger.asks.pending()).length
    const spooled = remoraHomes.reduce((sum, remoraHome) => sum + countSpooled(remoraHome), 0)
    const behind = watchers.some((watcher) => watcher.seq < seq)
    const isQuiet = waiting + asks + spooled === 0 && !behind && seq === before
    quiet = isQuiet ? quiet + 1 : 0
    if (seq !== before) deadline = Date.now() + idleTimeoutMs
    before = seq
  }
  return quiet >= 8 ? [] : ['Commands, asks or events remained pending']
}

/** Ends the agents and the server of a machine. No process may remain. */
export async function shutDown({ name = 'this machine', server, home }) {
  const listOwn = async () =>
    ((await server.ask('GET', '/api/live')).live ?? []).filter(({ node }) => node === undefined)
  for (const { id, state } of await listOwn())
    if (state !== 'ended') await server.ask('POST', `/api/live/${id}/end`, {})
  for (let wait = 0; wait < 240 && (await listOwn()).some(({ state }) => state !== 'ended'); wait++)
    await sleep(250)
  const code = await server.stop()
  for (let wait = 0; wait < 120 && listProcesses(home).length > 0; wait++) await sleep(250)
  return [
    ...(code === 0 ? [] : [`The server of ${name} ended with ${code}`]),
    ...listProcesses(home).map(({ pid, words }) => `still running on ${name}: ${pid} ${words}`),
  ]
}

/** The number of events that hooks, and processes without a database connection, have not stored yet. */
function countSpooled(remoraHome) {
  const files = ['spool', 'unsent'].flatMap((name) => {
    try {
      return readdirSync(join(remoraHome, name), { recursive: true, withFileTypes: true })
    } catch {
      return []
    }
  })
  return files.filter((entry) => entry.isFile() && /\.(?:ready|db)$/.test(entry.name)).length
}
