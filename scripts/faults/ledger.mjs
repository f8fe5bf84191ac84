import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLedger } from '@remora/ledger'
import { fold } from '@remora/protocol'
import { claudeCorpus, geminiCorpus, createRandom } from '../../bench/lib/corpus.mjs'

const writer = fileURLToPath(new URL('ledger-writer.mjs', import.meta.url))
/** The number of kills before an import may finish. */
const hits = 5

/** Kills an import or a follower at random moments, then lets it finish. Everything must be in the ledger once. */
export async function breakLedger({ points, seed }) {
  const random = createRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'remora-faults-'))
  try {
    const home = join(folder, 'whole')
    claudeCorpus(home, { files: 12, turns: 6 })
    geminiCorpus(home, { files: 12, turns: 6 })
    const reference = join(folder, 'reference.db')
    const began = Date.now()
    await waitForSuccess(start('import', home, reference))
    const duration = Date.now() - began
    const expected = await readContent(reference)
    const problems = []
    for (let point = 0, round = 0; point < points; round++) {
      const count = Math.min(hits, points - point)
      const way = round % 2 === 0 ? 'import' : 'follow'
      const trial = { way, home, file: join(folder, `${round}.db`), count, duration, random, folder }
      const found = await (way === 'import' ? killImport(trial) : killFollow(trial))
      for (const problem of compare(expected, await readContent(found)))
        problems.push(`round ${round}, ${way}: ${problem}`)
      rmSync(found, { force: true })
      point += count
      if (process.stdout.isTTY) process.stdout.write(`\r${point} of ${points}`)
    }
    if (process.stdout.isTTY) process.stdout.write('\n')
    return problems
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function killImport({ home, file, count, duration, random }) {
  for (let hit = 0; hit < count; hit++) await killAfter(start('import', home, file), random() * duration)
  await waitForSuccess(start('import', home, file))
  return file
}

/** The sessions grow piece by piece while the follower is killed repeatedly. */
async function killFollow({ home, file, count, duration, random, folder }) {
  const growing = mkdtempSync(join(folder, 'home-'))
  const pieces = splitFiles(home, growing, random)
  const each = Math.ceil(pieces.length / (count + 1))
  for (let hit = 0; hit < count; hit++) {
    const child = start('follow', growing, file)
    const grow = () =>
      pieces.splice(0, Math.ceil(each / 4)).forEach(([path, bytes]) => appendFileSync(path, bytes))
    const timer = setInterval(grow, duration / 6)
    await killAfter(child, random() * duration * 1.2)
    clearInterval(timer)
    grow()
  }
  for (const [path, bytes] of pieces) appendFileSync(path, bytes)
  await waitForSuccess(start('import', growing, file))
  rmSync(growing, { recursive: true, force: true })
  return file
}

/** Cuts every file at random bytes, also within records, and interleaves the pieces of all files. */
function splitFiles(home, target, random) {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const queues = files.map((entry) => {
    const from = join(entry.parentPath ?? entry.path, entry.name)
    const path = join(target, relative(home, from))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
    const bytes = readFileSync(from)
    const cuts = [
      0,
      ...Array.from({ length: 6 }, () => Math.floor(random() * bytes.length)),
      bytes.length,
    ].toSorted((a, b) => a - b)
    return cuts.slice(1).map((end, index) => [path, bytes.subarray(cuts[index], end)])
  })
  return Array.from({ length: 7 }, (_, index) => queues.map((queue) => queue[index])).flat()
}

function start(way, home, file) {
  return spawn(process.execPath, [writer, way, home, file], { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function killAfter(child, ms) {
  const gone = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  await gone
  clearTimeout(timer)
}

async function waitForSuccess(child) {
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The last import ended with ${code ?? signal}`)
}

/** The content of a ledger without its order. */
async function readContent(file) {
  const ledger = await openLedger({ file })
  const events = new Map()
  const messages = new Map()
  try {
    for (const entry of await ledger.sessions({ hidden: true })) {
      const key = { agent: entry.agent, session: entry.session }
      const own = []
      for (let after; ;) {
        const page = await ledger.read({ session: key, ...(after ? { after } : {}) })
        if (page.events.length === 0) break
        own.push(...page.events.map(({ event }) => event))
        after = page.cursor
      }
      for (const event of own) {
        const id = JSON.stringify([key, event.origin])
        events.set(id, [...(events.get(id) ?? []), digest(event)])
      }
      messages.set(JSON.stringify(key), digest(fold(own)))
    }
    const { events: total } = await ledger.size()
    const [{ usage } = {}] = await ledger.usage()
    const hits = (await ledger.search({ text: 'ledger', limit: 1000 })).length
    return { events, messages, total, usage: JSON.stringify(usage), hits }
  } finally {
    await ledger.close()
  }
}

function digest(value) {
  return createHash('sha1').update(JSON.stringify(value)).digest('hex')
}

function compare(expected, actual) {
  const problems = []
  for (const [id, [body]] of expected.events) {
    const found = actual.events.get(id)
    if (!found) problems.push(`lost: ${id}`)
    else if (found.length > 1) problems.push(`${found.length} times: ${id}`)
    else if (found[0] !== body) problems.push(`changed: ${id}`)
  }
  for (const id of actual.events.keys()) if (!expected.events.has(id)) problems.push(`invented: ${id}`)
  for (const [key, body] of expected.messages)
    if (actual.messages.get(key) !== body) problems.push(`folds differently: ${key}`)
  for (const what of ['total', 'usage', 'hits'])
    if (expected[what] !== actual[what])
      problems.push(`${what}: ${actual[what]} instead of ${expected[what]}`)
  return problems.slice(0, 10)
}
