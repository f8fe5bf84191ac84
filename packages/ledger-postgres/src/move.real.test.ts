import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as breathe } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Story } from '../../ledger/src/contract/story.test-data.ts'
import {
  type OpenLedgerOptions,
  type Ledger,
  endMove,
  moveLedger,
  readMoveCursor,
  openLedger,
  verifyMove,
} from '@remora/ledger'
import { type OpenPostgresOptions, openPostgres } from './open-postgres.ts'
import { fillLedger } from './move.test-data.ts'
import { type PostgresEngine, startEngine } from './engine.test-data.ts'

let engine: PostgresEngine
let folder: string
const opened: Ledger[] = []
let files = 0

beforeAll(async () => {
  engine = await startEngine()
  folder = await mkdtemp(join(tmpdir(), 'remora-move-'))
})
afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close()
})
afterAll(async () => {
  await engine?.server.stop()
  await rm(folder, { recursive: true, force: true })
})

const newFile = (): string => join(folder, `${++files}.db`)

async function open(place: OpenLedgerOptions | OpenPostgresOptions): Promise<Ledger> {
  const ledger = await ('url' in place ? openPostgres(place) : openLedger(place))
  opened.push(ledger)
  return ledger
}

it('moves everything to PostgreSQL and back without differences', async () => {
  const from = await open({ file: newFile() })
  await fillLedger(from)
  const there = await open({ url: await engine.place() })
  const back = await open({ file: newFile() })
  const moved = await moveLedger(from, there)
  expect(moved).toEqual({ added: (await from.size()).events, cursor: await from.head() })
  expect(await verifyMove(from, there)).toMatchObject({ sessions: 15, differences: [] })
  await moveLedger(there, back)
  expect(await verifyMove(there, back)).toMatchObject({ sessions: 15, differences: [] })
  await endMove(there, back)
  await endMove(from, there)

  for (const ledger of [there, back]) {
    await ledger.indexText()
    expect(await ledger.sessions({ hidden: true, empty: true })).toEqual(
      await from.sessions({ hidden: true, empty: true }),
    )
    expect(await ledger.usage({ by: ['session', 'model'] })).toEqual(
      await from.usage({ by: ['session', 'model'] }),
    )
    expect(await ledger.countCalls({ by: ['tool'] })).toEqual(await from.countCalls({ by: ['tool'] }))
    expect(await ledger.audit.read()).toEqual(await from.audit.read())
    expect(await ledger.marks('')).toEqual(await from.marks(''))
    expect(await ledger.search({ text: '"word7"' })).toHaveLength(1)
    expect(await ledger.search({ text: 'forgotten' })).toEqual([])
    expect((await ledger.read({ after: await from.head() })).gap).toBe(true)
  }
  // A text that a record contains is not stored twice.
  expect((await back.size()).bytes).toBeLessThan((await from.size()).bytes * 2)
})

it('copies a database into a file that is another ledger', async () => {
  const from = await open({ url: await engine.place() })
  await fillLedger(from, 20)
  const file = newFile()
  await from.backup(file)
  const copy = await open({ file })
  expect(copy.epoch).not.toBe(from.epoch)
  expect(await copy.sessions({ hidden: true })).toEqual(await from.sessions({ hidden: true }))
  expect(await copy.marks('')).toEqual(await from.marks(''))
  expect(await copy.search({ text: '"word7"' })).toHaveLength(1)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expect(from.backup(file)).rejects.toMatchObject({ code: 'conflict' })
  await expect(from.backup(join(folder, 'none', 'x.db'))).rejects.toMatchObject({ code: 'input' })
})

it('continues after it was killed, and stores nothing twice', async () => {
  const file = newFile()
  const from = await open({ file })
  await fillLedger(from, 400)
  const { events } = await from.size()
  const url = await engine.place()
  const steps = ['events 1000', 'asks', 'end']
  const reached: number[] = []
  for (const step of steps) {
    await moveUntil(file, url, step)
    const to = await open({ url })
    reached.push((await readMoveCursor(from, to)).seq)
    expect((await to.size()).events).toBeLessThanOrEqual(events)
  }
  expect(reached[0]).toBeGreaterThanOrEqual(1000)
  expect(reached[0]).toBeLessThan(events)
  expect(reached).toEqual(reached.toSorted((left, right) => left - right))
  const to = await open({ url })
  expect((await to.size()).events).toBe(events)
  expect(await verifyMove(from, to)).toMatchObject({ events, differences: [] })
  expect(await moveLedger(from, to)).toEqual({ added: 0, cursor: await from.head() })
})

it('moves concurrent writes now or with the next run', async () => {
  const file = newFile()
  const [from, writer] = [await open({ file }), await open({ file })]
  await fillLedger(from, 200)
  const to = await open({ url: await engine.place() })
  const stop = new AbortController()
  const written = (async () => {
    for (let round = 0; !stop.signal.aborted; round++) {
      const story = new Story({ session: `live ${round % 3}`, source: `live ${round}` })
      await writer.append([...story.prompt(`live${round}`), ...story.says('yes')])
      await writer.annotate(story.key, { name: `name ${round}` })
      await writer.audit.append({ what: 'policy', who: 'writer', detail: round })
      // Writing to a file is synchronous, so without this nothing else would run.
      await breathe()
    }
  })()
  let steps = 0
  const moved = await moveLedger(from, to, { onProgress: () => void steps++ })
  expect(steps).toBeGreaterThan(5)
  // Everything up to its cursor was moved.
  const verdict = await verifyMove(from, to)
  expect(verdict.differences.filter(({ part }) => part === 'events')).toEqual([])
  expect(verdict.events).toBe((await to.size()).events)
  stop.abort()
  await written
  expect((await from.head()).seq).toBeGreaterThan(moved.cursor.seq)
  const rest = await moveLedger(from, to)
  expect(rest.added).toBe((await from.head()).seq - moved.cursor.seq)
  expect(await verifyMove(from, to)).toMatchObject({ differences: [] })
})

it('reports differences', async () => {
  const from = await open({ file: newFile() })
  await fillLedger(from, 20)
  const to = await open({ url: await engine.place() })
  await moveLedger(from, to)
  const key = { agent: 'claude', session: 's0' }
  await to.append(new Story({ ...key, source: 'more' }).prompt('not of the source'))
  await to.annotate(key, { name: 'Another' })
  await to.forget({ agent: 'claude', session: 's2' })
  const { differences } = await verifyMove(from, to)
  expect(differences.map(({ part, session }) => `${part} ${session}`).sort()).toEqual([
    'events s0',
    'events s2',
    'sessions s0',
    'sessions s2',
  ])
  expect(differences.map(({ why }) => why)).toContain('it is missing')
})

it('keeps the marks and sessions of each machine, and refuses a second audit log', async () => {
  const url = await engine.place()
  for (const node of ['laptop', 'desk']) {
    const from = await open({ file: newFile() })
    const story = new Story({ session: `of ${node}` })
    await from.append(story.prompt('Hi'), { marks: { 'read/a': node } })
    await from.audit.append({ what: 'policy', who: node })
    const to = await open({ url, node })
    if (node === 'desk') await expect(moveLedger(from, to)).rejects.toMatchObject({ code: 'conflict' })
    const withoutAudit = node === 'desk'
    await moveLedger(from, to, { withoutAudit })
    expect(await verifyMove(from, to, { withoutAudit })).toMatchObject({ differences: [] })
    expect(await to.marks('read/')).toEqual(new Map([['read/a', node]]))
    expect(await to.session(story.key)).toMatchObject({ node })
    // And back, to a ledger of one machine.
    const back = await open({ file: newFile() })
    await moveLedger(to, back)
    expect(await back.marks('read/')).toEqual(new Map([['read/a', node]]))
  }
  const ledger = await open({ url, node: 'laptop' })
  await expect(moveLedger(ledger, await open({ url }))).rejects.toMatchObject({ code: 'usage' })
  const abort = AbortSignal.abort()
  await expect(moveLedger(ledger, await open({ file: newFile() }), { signal: abort })).rejects.toThrow()
})

/** Moves in another process, and kills it after it has reported this step. */
async function moveUntil(file: string, url: string, step: string): Promise<void> {
  const worker = fileURLToPath(import.meta.resolve('./move.test-data.ts'))
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), worker, file, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith(step)) break
  child.kill('SIGKILL')
  await exited
}
