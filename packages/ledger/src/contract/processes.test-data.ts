import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Ledger } from '../model/ledger.ts'
import { ask, command, target } from './asks.test-data.ts'
import type { Bench } from './engine.test-data.ts'
import { type Job, type Raced, workerRecords } from './worker.test-data.ts'

const worker = fileURLToPath(import.meta.resolve('./worker.test-data.ts'))

export function testProcesses(bench: Bench): void {
  it('stores each event once and has one winner per decision with eight concurrent processes', async () => {
    const place = await bench.engine.place()
    const ledger = await bench.open(place)
    await ledger.asks.open(target, ask)
    await ledger.commands.submit(command)
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const count = 60
    const running = race(bench, place, names, count)

    // This process is notified of everything that the others store.
    const all = (names.length + 1) * count
    const abort = new AbortController()
    const received: string[] = []
    for await (const page of ledger.tail({ signal: abort.signal })) {
      received.push(...page.events.map(({ event }) => event.entity))
      if (received.length >= all) abort.abort()
    }
    const results = await running
    expect(received).toEqual(await readAll(ledger))
    expect(new Set(received).size).toBe(all)
    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(all)
    // Each source keeps its order.
    for (const own of [...names, 'shared'])
      expect(received.filter((entity) => entity.startsWith(`${own} `))).toEqual(listEntities(own, count))
    expect((await ledger.session({ agent: 'claude', session: 'shared' }))?.messages).toBe(count)

    const winner = names[results.findIndex(({ won }) => won)]
    expect(results.map((result) => result.winner)).toEqual(names.map(() => winner))
    expect((await ledger.asks.find(target, ask.id))?.answer?.device).toBe(winner)
    for (const prize of ['won', 'took', 'leased'] as const)
      expect(
        results.filter((result) => result[prize]),
        prize,
      ).toHaveLength(1)
  })

  it('loses and duplicates nothing when a process is killed', async () => {
    const points = [1, 10, 60]
    await Promise.all(
      points.map(async (point) => {
        const place = await bench.engine.place()
        const last = await killAfter(start(bench, place, { what: 'endless' }), point)
        const ledger = await bench.open(place)
        await settled(ledger)
        const next = (await ledger.marks('')).get('next') as number
        expect(next).toBeGreaterThan(last)
        // The mark and the events share a transaction, so neither is ahead.
        expect(await readAll(ledger)).toEqual(listEntities('endless', next * 3))
        expect((await ledger.append(workerRecords('endless', 3000))).added).toBe(3000 - next * 3)
        expect(await readAll(ledger)).toEqual(listEntities('endless', 3000))
      }),
    )
  })
}

/** A database completes a statement even if its client is gone. */
async function settled(ledger: Ledger): Promise<void> {
  for (let [before, head] = [-1, 0]; before !== head;) {
    await sleep(1_500)
    ;[before, head] = [head, (await ledger.head()).seq]
  }
}

/** Kills a process after it has reported an append, and returns the last one reported. */
async function killAfter(child: ChildProcess, point: number): Promise<number> {
  let last = -1
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line === 'ready') child.stdin!.write('go\n')
    else last = Number(line)
    if (last >= point) break
  }
  if (child.kill('SIGKILL')) await once(child, 'exit')
  return last
}

function start(bench: Bench, place: string, job: Job): ChildProcess {
  const args = [
    '--import',
    import.meta.resolve('tsx'),
    worker,
    bench.engine.module,
    place,
    JSON.stringify(job),
  ]
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
}

/** Starts a process per name, releases all at once, and returns their results. */
async function race(bench: Bench, place: string, names: readonly string[], count: number): Promise<Raced[]> {
  const runners = names.map((own) => {
    const child = start(bench, place, { what: 'race', own, count })
    return { child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() }
  })
  await Promise.all(runners.map(({ lines }) => lines.next()))
  for (const { child } of runners) child.stdin!.write('go\n')
  return Promise.all(
    runners.map(async ({ lines }) => JSON.parse(String((await lines.next()).value)) as Raced),
  )
}

function listEntities(own: string, count: number): string[] {
  return workerRecords(own, count).flatMap(({ events }) => events.map(({ entity }) => entity))
}

async function readAll(ledger: Ledger): Promise<string[]> {
  const entities: string[] = []
  for (
    let page = await ledger.read();
    page.events.length > 0;
    page = await ledger.read({ after: page.cursor })
  )
    entities.push(...page.events.map(({ event }) => event.entity))
  return entities
}
