import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import { type Event, RemoraError } from '@remora/protocol'
import { expect, it } from 'vitest'
import { ledger, useHome } from './home.test-data.ts'
import { ledgerSink } from './index.ts'

useHome()

/** The n-th event of a message on the wire; the first has the message. */
function createText(message: number, index = 0, text = `${message}.${index}`): Event {
  return {
    type: 'text',
    agent: 'gemini',
    session: 's',
    entity: 'e',
    origin: { channel: 'acp', source: 'connection', key: `${message}a.${index}` },
    at: message,
    offset: 0,
    text,
    ...(index === 0 ? { raw: { message } } : {}),
  }
}

/** Counts appends, and fails the given number of times. */
function watched(failures: Error[] = []) {
  const appends: number[][] = []
  return {
    appends,
    append: async (...[records, options]: Parameters<Ledger['append']>) => {
      const failure = failures.shift()
      if (failure) throw failure
      appends.push(records.map(({ events }) => events.length))
      return ledger.append(records, options)
    },
  }
}

const stored = async () =>
  (await ledger.read({ records: true, limit: 100_000 })).events.map(({ event, record }) => [
    event.type === 'text' ? event.text : '',
    record,
  ])

it('stores events of one turn in one append, with a record for each message, in order', async () => {
  const watch = watched()
  const sink = ledgerSink(watch)
  const events = [
    createText(1),
    createText(1, 1),
    createText(2),
    createText(3),
    createText(3, 1),
    createText(3, 2),
  ]
  for (const event of events) expect(sink.write(event)).toBeUndefined()
  await sink.flush()
  expect(watch.appends).toEqual([[2, 1, 3]])
  expect(await stored()).toEqual([
    ['1.0', '{"message":1}'],
    ['1.1', undefined],
    ['2.0', '{"message":2}'],
    ['3.0', '{"message":3}'],
    ['3.1', undefined],
    ['3.2', undefined],
  ])
})

it('stores events without a flush', async () => {
  const sink = ledgerSink(ledger)
  void sink.write(createText(1))
  await expect.poll(stored, { timeout: 30_000 }).toHaveLength(1)
})

it('stores a single event at once', async () => {
  const watch = watched()
  const sink = ledgerSink(watch)
  void sink.write(createText(1))
  void sink.write(createText(1, 1))
  expect(watch.appends).toEqual([])
  await yieldTurn()
  expect(watch.appends).toEqual([[2]])
  await sink.close()
})

it('stores nothing twice', async () => {
  const sink = ledgerSink(ledger)
  for (const event of [createText(1), createText(1, 1), createText(1), createText(1, 1)])
    await sink.write(event)
  await sink.close()
  expect(await stored()).toHaveLength(2)
})

it('slows down a source that is faster than the disk, and keeps the order', async () => {
  const sink = ledgerSink(ledger)
  let waits = 0
  const count = 20_000
  for (let index = 0; index < count; index++) {
    const slow = sink.write(createText(index))
    if (slow) waits++
    await slow
  }
  expect(waits).toBeGreaterThan(0)
  await sink.close()
  const texts = (await stored()).map(([text]) => text)
  expect(texts).toEqual(Array.from({ length: count }, (_, index) => `${index}.0`))
})

it('retries when another process locks the ledger for a moment', async () => {
  const sink = ledgerSink(watched([new RemoraError('conflict', 'in use')]))
  await sink.write(createText(1))
  await sink.flush()
  expect(await stored()).toHaveLength(1)
})

const full = () =>
  Array.from(
    { length: 4 },
    () => new RemoraError('unknown', 'The disk is full', { hint: 'Free some space.' }),
  )

it('rejects the next write after a failure, and stores the events when that is possible again', async () => {
  const sink = ledgerSink(watched(full()))
  await sink.write(createText(1))
  const failure = {
    code: 'unknown',
    message: expect.stringContaining('The disk is full'),
    hint: 'Free some space.',
  }
  await expect(sink.flush()).rejects.toMatchObject(failure)
  // The failure was reported once, and the events are still queued.
  expect(sink.write(createText(2))).toBeUndefined()
  await sink.close()
  expect((await stored()).map(([text]) => text)).toEqual(['1.0', '2.0'])
})

it('rejects the next write after a failure, and still queues its event', async () => {
  const failures = full()
  const sink = ledgerSink(watched(failures))
  void sink.write(createText(1))
  await expect.poll(() => failures, { timeout: 30_000 }).toEqual([])
  const failed = async () => {
    try {
      await sink.write(createText(2))
      return undefined
    } catch (error) {
      return error
    }
  }
  await expect
    .poll(failed, { timeout: 30_000 })
    .toMatchObject({ message: expect.stringContaining('The disk is full') })
  await sink.close()
  expect((await stored()).map(([text]) => text)).toEqual(['1.0', '2.0'])
})

it('rejects on close if events were never stored, and accepts no more', async () => {
  const failures = full()
  const sink = ledgerSink(watched(failures))
  await sink.write(createText(1))
  await expect(sink.close()).rejects.toThrow('1 events are not stored')
  await expect(sink.write(createText(2))).rejects.toMatchObject({ code: 'usage' })
})
