import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** So long nothing may happen before it has come to rest. */
const restMs = 45_000
/** What takes longer is told. */
const slowMs = 10_000

/** One fault after the other, until Ctrl+C. Gives how many of each kind there were. */
export async function breakAll({ faults, points, random }) {
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

/** Somebody answers in the end, by another process, as `remora answer` does. */
export async function answerAll(ledger, signal) {
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

/** Until nothing waits any more, and all surfaces have come to the end of the ledger. */
export async function rest(ledger, watchers, remoraHomes) {
  let deadline = Date.now() + restMs
  let quiet = 0
  for (let before; quiet < 8 && Date.now() < deadline; await sleep(250)) {
    const { seq } = await ledger.head()
    const commands = await ledger.commands.list()
    const waits = commands.filter(({ state }) => state === 'queued' || state === 'sent').length
    const asks = (await ledger.asks.pending()).length
    const spooled = remoraHomes.reduce((sum, remoraHome) => sum + spooledIn(remoraHome), 0)
    const behind = watchers.some((watcher) => watcher.seq < seq)
    const isQuiet = waits + asks + spooled === 0 && !behind && seq === before
    quiet = isQuiet ? quiet + 1 : 0
    if (seq !== before) deadline = Date.now() + restMs
    before = seq
  }
  return quiet >= 8 ? [] : ['It never came to rest']
}

/** What is on its way into the ledger: of hooks, and of processes that could not reach it. */
function spooledIn(remoraHome) {
  const files = ['spool', 'unsent'].flatMap((name) => {
    try {
      return readdirSync(join(remoraHome, name), { recursive: true, withFileTypes: true })
    } catch {
      return []
    }
  })
  return files.filter((entry) => entry.isFile() && /\.(?:ready|db)$/.test(entry.name)).length
}
