// One step of bench/transcripts in its own process; prints its measurements as JSON.
// Usage: node transcript-steps.mjs <step> <agent> <home> <REMORA_HOME>
import { appendFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [step, agent, home, state] = process.argv.slice(2)
const file = join(state, 'ledger.db')
const place = { home, env: {}, agent }

const steps = {
  async scan() {
    const { usage } = await import('@remora/sdk')
    const cold = await timed(() => usage(place))
    const again = await timed(() => usage(place))
    return { cold: cold.ms, again: again.ms, usage: cold.value[0].usage }
  },
  async parse() {
    return timed(() => {
      for (const path of transcripts())
        for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '') JSON.parse(line)
    })
  },
  async import() {
    const { importTranscripts } = await import('@remora/intake')
    return withLedger(async (ledger) => timed(() => importTranscripts(ledger, { home, env: {} })))
  },
  async index() {
    return withLedger(async (ledger) => timed(() => ledger.indexText()))
  },
  /** Inserts the same texts in the same order into a plain FTS5 table. */
  async 'bare-fts'() {
    const { openSqlite } = await import('@remora/sqlite')
    // Not exported by the ledger.
    const { toDocument } = await import('../../packages/ledger/dist/text/document.js')
    const database = openSqlite(join(state, 'bare.db'))
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = NORMAL')
    database.exec('create virtual table bare using fts5(text)')
    const insert = database.prepare('insert into bare(text) values (?)')
    const insertAll = (texts) =>
      database.transaction('deferred', () => {
        for (const text of texts) insert.run(text)
      })
    let ms = 0
    await withLedger(async (ledger) => {
      for (let after; ;) {
        const { events, cursor } = await ledger.read({ limit: 2000, ...(after ? { after } : {}) })
        if (events.length === 0) break
        const texts = events.flatMap(({ event }) => toDocument(event)?.text ?? [])
        ms += (await timed(() => insertAll(texts))).ms
        after = cursor
      }
    })
    database.close()
    return { ms }
  },
  async search() {
    const queries = [
      'the',
      'error',
      'ledger token',
      '"cache order"',
      'sess',
      'function return value path',
      'nowhere',
      'agent model prompt',
    ]
    return withLedger(async (ledger) => {
      const times = []
      for (let round = 0; round < 25; round++)
        for (const text of queries) times.push((await timed(() => ledger.search({ text, limit: 20 }))).ms)
      return { p95: p95(times) }
    })
  },
  /** The time from the write of a record until the consumer has its event. */
  async watch() {
    const { sessions } = await import('@remora/sdk')
    const root = join(home, 'watched')
    const path = join(root, '.gemini', 'tmp', 'work', 'chats', 'session-2026-01-01T00-00-watched.jsonl')
    mkdirSync(dirname(path), { recursive: true })
    const line = (record) => `${JSON.stringify(record)}\n`
    const createPrompt = (id) =>
      line({ id, timestamp: new Date().toISOString(), type: 'user', content: [{ text: id }] })
    writeFileSync(
      path,
      line({ sessionId: 'watched', projectHash: 'p', startTime: new Date().toISOString() }) +
        createPrompt('first'),
    )
    const stop = new AbortController()
    const began = new Map()
    const times = []
    const count = 200
    const watching = (async () => {
      for await (const event of sessions.watch('watched', {
        home: root,
        env: {},
        from: 'start',
        signal: stop.signal,
      })) {
        if (began.has(event.entity)) times.push(performance.now() - began.get(event.entity))
        if (times.length === count) stop.abort()
      }
    })()
    await sleep(500)
    for (let index = 0; index < count; index++) {
      began.set(`m${index}`, performance.now())
      appendFileSync(path, createPrompt(`m${index}`))
      await sleep(10)
    }
    await Promise.race([watching, sleep(10_000)])
    stop.abort()
    if (times.length < count) throw new Error(`${count - times.length} records never arrived`)
    return { p95: p95(times) }
  },
}

const result = await steps[step]()
console.log(JSON.stringify({ ...result, value: undefined, peak: peakMemory() }))

async function timed(work) {
  const began = performance.now()
  const value = await work()
  return { ms: performance.now() - began, value }
}

async function withLedger(work) {
  const { openLedger } = await import('@remora/ledger')
  const ledger = await openLedger({ file })
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

function transcripts() {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

function p95(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]
}

/** The peak memory of this process, in bytes. */
function peakMemory() {
  return process.resourceUsage().maxRSS * 1024
}
