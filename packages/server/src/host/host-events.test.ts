import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ledgerSink } from '@remora/intake'
import { type Ledger, openLedger } from '@remora/ledger'
import { type Event, RemoraError } from '@remora/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createRetryingSink } from './host-events.ts'

vi.setConfig({ testTimeout: 60_000 })

/** A ledger on a disk that is full until the test frees space. */
async function fullDisk() {
  const home = mkdtempSync(join(tmpdir(), 'remora-patient-'))
  const ledger = await openLedger({ file: join(home, 'ledger.db') })
  onTestFinished(async () => {
    await ledger.close()
    rmSync(home, { recursive: true, force: true })
  })
  const disk = { full: true }
  const append = async (...args: Parameters<Ledger['append']>) => {
    if (disk.full) throw new RemoraError('unknown', 'The disk is full')
    return ledger.append(...args)
  }
  return { ledger, disk, sink: ledgerSink({ append }) }
}

const said = (index: number): Event => ({
  type: 'text',
  agent: 'fake',
  session: 's',
  entity: 'e',
  origin: { channel: 'acp', source: 'c', key: `${index}.0` },
  at: index,
  offset: 0,
  text: String(index),
})

it('waits for disk space, reports the error, and loses nothing', async () => {
  const { ledger, disk, sink } = await fullDisk()
  const reported: (string | undefined)[] = []
  const retrying = createRetryingSink(sink, new AbortController().signal, (problem) =>
    reported.push(problem?.message),
  )
  let waiting: void | Promise<void>
  let count = 0
  // Writes until the sink notices the full disk. It keeps these events.
  while (!(waiting = retrying.write(said(count++)))) await sleep(20)
  await vi.waitFor(() => expect(reported[0]).toContain('The disk is full'), { timeout: 10_000 })
  disk.full = false
  await waiting
  expect(reported.at(-1)).toBeUndefined()
  await retrying.write(said(count++))
  await sink.close()
  const { events } = await ledger.read({ limit: 10_000 })
  expect(events.map(({ event }) => event.at)).toEqual(Array.from({ length: count }, (_, index) => index))
})

it('stops waiting when the signal aborts', async () => {
  const { sink } = await fullDisk()
  const stop = new AbortController()
  const retrying = createRetryingSink(sink, stop.signal, () => stop.abort())
  let waiting: void | Promise<void>
  while (!(waiting = retrying.write(said(0)))) await sleep(20)
  await expect(waiting).rejects.toThrow()
})
