import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, it } from 'vitest'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import type { Ledger } from '@remora/ledger'
import { type PostgresEngine, open } from './engine.test-data.ts'

const worker = fileURLToPath(import.meta.resolve('./order-worker.test-data.ts'))

/*
 * Numbers do not become visible in their order by themselves. Measured with six connections that each inserted 1 to 12
 * rows 300 times into a table with a bigserial, while a reader asked for rows above the highest number it had seen: of
 * 11,722 rows it never saw 1,485. If the head is locked until the transaction ends, it misses none.
 */
export function testOrder(engine: () => PostgresEngine): void {
  it('would be read with gaps if the numbers came from a sequence', async () => {
    const url = await engine().server.createDatabase()
    const [early, late] = await Promise.all([connectClient(url), connectClient(url)])
    await early.query('CREATE TABLE naive (seq BIGSERIAL, what TEXT)')
    const read = async (after: number) =>
      (
        await late.query<{ seq: string }>('SELECT seq FROM naive WHERE seq > $1 ORDER BY seq', [after])
      ).rows.map(({ seq }) => Number(seq))
    await early.query('BEGIN')
    await early.query(`INSERT INTO naive (what) VALUES ('first')`)
    await late.query(`INSERT INTO naive (what) VALUES ('second')`)
    expect(await read(0)).toEqual([2])
    await early.query('COMMIT')
    // The first row is visible now, but the reader has passed it.
    expect(await read(2)).toEqual([])
    expect(await read(0)).toEqual([1, 2])
    await Promise.all([early.end(), late.end()])
  })

  it('shows no number before a lower one', async () => {
    const place = await engine().place()
    const ledger = await open(place)
    const slow = await connectClient(place)
    await slow.query('BEGIN')
    // A writer that has assigned a number and has not committed.
    await slow.query('UPDATE head SET seq = seq + 1')
    let done = false
    const appended = ledger.append(new Story().prompt('second')).finally(() => (done = true))
    await expect
      .poll(async () => (await slow.query(`SELECT 1 FROM pg_locks WHERE NOT granted`)).rowCount, {
        timeout: 60_000,
      })
      .toBeGreaterThan(0)
    expect(done).toBe(false)
    expect(await ledger.read()).toMatchObject({ events: [], cursor: { seq: 0 } })
    await slow.query('COMMIT')
    expect(await appended).toMatchObject({ added: 1, cursor: { seq: 2 } })
    await slow.end()
    await ledger.close()
  })

  it('shows a reader every event once and in order while six processes write', async () => {
    const place = await engine().place()
    const ledger = await open(place)
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const appends = 50
    const running = write(place, names, appends)
    const stop = new AbortController()
    const [tailed, polled] = [readTail(ledger, stop.signal), readPolling(ledger, stop.signal)]
    const reported = await running
    const total = reported.reduce((sum, { count }) => sum + count, 0)
    expect((await ledger.head()).seq).toBe(total)
    // The numbers of the appends do not overlap and leave no gap.
    const given = reported.flatMap(({ last, count }) =>
      Array.from({ length: count }, (_, index) => last - index),
    )
    expect(given.sort((a, b) => a - b)).toEqual(upTo(total))
    await expect.poll(() => [tailed.length, polled.length], { timeout: 60_000 }).toEqual([total, total])
    stop.abort()
    expect(tailed).toEqual(upTo(total))
    expect(polled).toEqual(upTo(total))
    await ledger.close()
  })
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** The numbers that a tail has yielded so far. */
function readTail(ledger: Ledger, signal: AbortSignal): number[] {
  const seen: number[] = []
  void (async () => {
    for await (const page of ledger.tail({ signal })) seen.push(...page.events.map(({ seq }) => seq))
  })()
  return seen
}

/** The same by polling without a pause, so that a gap is seen whenever there is one. */
function readPolling(ledger: Ledger, signal: AbortSignal): number[] {
  const seen: number[] = []
  void (async () => {
    for (let page = await ledger.read({ limit: 7 }); !signal.aborted;) {
      seen.push(...page.events.map(({ seq }) => seq))
      await sleep(1)
      if (signal.aborted) return
      page = await ledger.read({ after: page.cursor, limit: 7 })
    }
  })()
  return seen
}

interface Reported {
  readonly last: number
  readonly count: number
}

/** Starts all processes at once, and returns what each append reported. */
async function write(place: string, names: readonly string[], appends: number): Promise<Reported[]> {
  const writers = names.map((own) => {
    const child = start([place, own, String(appends)])
    return { child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() }
  })
  await Promise.all(writers.map(({ lines }) => lines.next()))
  for (const { child } of writers) child.stdin!.write('go\n')
  const reported = writers.map(async ({ lines }) => {
    const all: Reported[] = []
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      const [last, count] = line.value.split(' ').map(Number)
      all.push({ last: last!, count: count! })
    }
    expect(all).toHaveLength(appends)
    return all
  })
  return (await Promise.all(reported)).flat()
}

function start(args: readonly string[]): ChildProcess {
  const tsx = ['--import', import.meta.resolve('tsx'), worker]
  return spawn(process.execPath, [...tsx, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function connectClient(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  return client
}
