import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import type { Ask, Event } from '@remora/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAnswerRecord, createAskRecord, createLateAnswerRecord } from '../approvals/ask-events.ts'
import { ServerApprovals } from '../approvals/server-approvals.ts'
import { createHostEvents } from '../host/host-events.ts'
import { closeSession } from './close-session.ts'
import type { LiveRecord } from './live-record.ts'
import { TerminalEvents } from './terminal-events.ts'

// Homes of earlier versions contain these events. If an origin changed, a restarted server would store one twice.

const key = { agent: 'gemini', session: 's-1' }
const ask: Ask = {
  id: 'a-1',
  kind: 'permission',
  title: 'Allow it?',
  options: [{ id: 'yes', label: 'Yes', effect: 'allow' }],
  digest: 'd-1',
}
const record: LiveRecord = {
  id: 'l-1',
  ...key,
  channel: 'terminal',
  cwd: '/',
  startedAt: 0,
  adopted: false,
}
const answer = { ask: 'a-1', by: 'person', option: 'yes', digest: 'd-1' } as const

let folder = ''
let ledger: Ledger

beforeEach(async () => {
  vi.useFakeTimers({ now: 1000, toFake: ['Date'] })
  folder = mkdtempSync(join(tmpdir(), 'remora-events-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db') })
})
afterEach(async () => {
  vi.useRealTimers()
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
})

const readEvents = async (): Promise<Event[]> =>
  (await ledger.read({ session: key })).events.map(({ event }) => event)

it('stores the events of an ask under origins that depend only on the ask', async () => {
  const origin = { channel: 'terminal', source: 'approvals', digest: 'd-1' }
  await ledger.append([createAskRecord(key, ask), createAnswerRecord(key, ask, answer)])
  await ledger.append([createLateAnswerRecord(key, { ...ask, parent: 'tool-1' })])
  expect(await readEvents()).toEqual([
    { type: 'ask', ...key, entity: 'a-1', at: 1000, ask, origin: { ...origin, key: 'a-1/ask.0' } },
    { type: 'answer', ...key, entity: 'a-1', at: 1000, answer, origin: { ...origin, key: 'a-1/answer.0' } },
    {
      type: 'error',
      ...key,
      entity: 'a-1/not carried',
      at: 1000,
      parent: 'tool-1',
      code: 'conflict',
      severity: 'warning',
      message: 'The answer to "Allow it?" had no effect: the agent did not ask any more',
      origin: { ...origin, key: 'a-1/not carried.0' },
    },
  ])
})

it('stores an ask and its answer once when a restarted server makes them again', async () => {
  await ledger.append([createAskRecord(key, ask), createAnswerRecord(key, ask, answer)])
  vi.setSystemTime(9000)
  await ledger.append([createAskRecord(key, ask), createAnswerRecord(key, ask, answer)])
  expect((await readEvents()).map(({ type, at }) => `${type} ${at}`)).toEqual(['ask 1000', 'answer 1000'])
})

it('numbers the events of a terminal by refresh and position', async () => {
  const events = new TerminalEvents(ledger, record)
  await events.append({ type: 'status', status: 'idle' })
  await events.append(
    {
      type: 'message',
      at: 500,
      entity: 'turn/prompt',
      role: 'user',
      content: [{ type: 'text', text: 'hi' }],
    },
    { type: 'done', entity: 'turn', ok: false, stopReason: 'cancelled' },
  )
  const stored = await readEvents()
  const { source } = stored[0]!.origin
  expect(source).toMatch(/^l-1\/[0-9a-f]{8}$/)
  const origin = { channel: 'terminal', source }
  expect(stored).toEqual([
    { type: 'status', ...key, entity: 's-1', at: 1000, status: 'idle', origin: { ...origin, key: '1.0' } },
    {
      type: 'message',
      ...key,
      entity: 'turn/prompt',
      at: 500,
      role: 'user',
      content: [{ type: 'text', text: 'hi' }],
      origin: { ...origin, key: '2.0' },
    },
    {
      type: 'done',
      ...key,
      entity: 'turn',
      at: 1000,
      ok: false,
      stopReason: 'cancelled',
      origin: { ...origin, key: '2.1' },
    },
  ])
})

it('numbers the events of a host from 1', async () => {
  const sink = { write: (event: Event) => ledger.append([{ events: [event] }]).then(() => {}) }
  const events = createHostEvents(sink, key)
  await events.status('starting', { at: 500, detail: 'host 1' })
  await events.error({ code: 'crashed', message: 'gone' })
  const stored = await readEvents()
  const { source } = stored[0]!.origin
  expect(source).toMatch(/^host [0-9a-f-]{36}$/)
  expect(stored).toEqual([
    {
      type: 'status',
      ...key,
      entity: 's-1',
      at: 500,
      status: 'starting',
      detail: 'host 1',
      origin: { channel: 'acp', source, key: '1' },
    },
    {
      type: 'error',
      ...key,
      entity: `${source}/error/2`,
      at: 1000,
      severity: 'error',
      code: 'crashed',
      message: 'gone',
      origin: { channel: 'acp', source, key: '2' },
    },
  ])
})

it('stores the end of a session once when a restarted server closes it again', async () => {
  await using approvals = new ServerApprovals({ ledger, log: () => {} })
  await closeSession({ ledger, approvals }, record)
  await closeSession({ ledger, approvals }, record)
  const origin = { channel: 'terminal', source: 'l-1', key: 'ended' }
  expect(await readEvents()).toEqual([
    { type: 'status', ...key, entity: 's-1', at: 1000, status: 'ended', origin },
  ])
})
