import type { Lease, Ledger } from '@remora/ledger'
import type { Answer, Ask, AskBroker, Command } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ledger, openAgain, useHome } from './home.test-data.ts'
import { AskPresence, isWaitedFor, ledgerAsks, ledgerCancels, raceAsks } from './index.ts'

useHome()

/** The same ledger, opened like another process. */
let other: Ledger
beforeEach(async () => void (other = await openAgain()))
afterEach(() => other.close())

const key = { agent: 'gemini', session: 's' }
const ask: Ask = {
  id: 'connection/ask/0',
  kind: 'permission',
  title: 'rm notes.txt',
  options: [
    { id: 'yes', label: 'Allow', effect: 'allow' },
    { id: 'no', label: 'Reject', effect: 'deny' },
  ],
  digest: 'shown',
}
const yes: Answer = { ask: ask.id, option: 'yes', by: 'person', device: 'phone', digest: 'shown' }
const no: Answer = { ...yes, option: 'no', device: 'editor' }

const never = () => new AbortController().signal
const pending = async () => {
  await expect.poll(() => other.asks.pending(key), { timeout: 30_000 }).toHaveLength(1)
}
const readAnswer = async () => (await other.asks.find(key, ask.id))?.answer

it('waits for an answer from any process', async () => {
  const asked = ledgerAsks(ledger).ask(ask, { ...key, signal: never() })
  await pending()
  expect(await other.asks.answer(key, yes)).toEqual({ won: true, answer: yes })
  expect(await asked).toEqual(yes)
})

it('receives an answer at once, without polling', async () => {
  const asks = ledgerAsks(ledger)
  const delays: number[] = []
  for (let index = 0; index < 20; index++) {
    const each = { ...ask, id: `connection/ask/${index}` }
    const asked = asks.ask(each, { ...key, signal: never() })
    await pending()
    const given = performance.now()
    await other.asks.answer(key, { ...yes, ask: each.id })
    await asked
    delays.push(performance.now() - given)
  }
  // Polling would take seconds.
  expect(delays.sort((a, b) => a - b)[10]).toBeLessThan(1000)
})

it('is present only while it waits', async () => {
  const asks = ledgerAsks(ledger)
  const second = { ...ask, id: 'connection/ask/1' }
  const asked = [ask, second].map((each) => asks.ask(each, { ...key, signal: never() }))
  await expect.poll(() => other.asks.pending(key), { timeout: 30_000 }).toHaveLength(2)
  expect(await isWaitedFor(other, ask.id)).toBe(true)
  await other.asks.answer(key, yes)
  await asked[0]
  expect(await isWaitedFor(other, second.id)).toBe(true)
  await other.asks.answer(key, { ...yes, ask: second.id })
  await asked[1]
  expect(await isWaitedFor(other, second.id)).toBe(false)
})

it('is present if it starts while the last ask ends', async () => {
  const { leases, node } = ledger
  let leave = (): void => {}
  const asked = new Promise<void>((resolve) => (leave = resolve))
  // A slow release, like with a database.
  const slow = {
    take: leases.take.bind(leases),
    renew: leases.renew.bind(leases),
    find: leases.find.bind(leases),
    release: async (lease: Lease) => {
      await asked
      return leases.release(lease)
    },
  }
  const presence = new AskPresence({ leases: slow, node })
  await presence.begin(ask.id)
  const left = presence.end(ask.id)
  const come = presence.begin('connection/ask/1')
  // All synchronous work is done.
  await new Promise((resolve) => setImmediate(resolve))
  leave()
  await Promise.all([left, come])
  expect(await isWaitedFor(other, 'connection/ask/1')).toBe(true)
  await presence.end('connection/ask/1')
  expect(await isWaitedFor(other, 'connection/ask/1')).toBe(false)
})

it('detects an ask whose process was killed', async () => {
  await ledger.asks.open(key, ask)
  expect(await isWaitedFor(other, ask.id)).toBe(false)
  // A process of this machine that has ended.
  const { hostname } = await import('node:os')
  await ledger.leases.take(
    'asks connection',
    { what: 'an agent', pid: 999_999_999, host: hostname() },
    60_000,
  )
  expect(await isWaitedFor(other, ask.id)).toBe(false)
})

it('withdraws the ask when it is aborted, so that a late answer is rejected', async () => {
  const stop = new AbortController()
  const asked = ledgerAsks(ledger).ask(ask, { ...key, signal: stop.signal })
  const failure = asked.catch((error: unknown) => error)
  await pending()
  stop.abort(new Error('the turn is over'))
  expect(await failure).toMatchObject({ message: 'the turn is over' })
  const cancelled = { ask: ask.id, by: 'cancel', digest: 'shown' }
  expect(await other.asks.answer(key, yes)).toEqual({ won: false, answer: cancelled })
})

it('stores the answer given elsewhere if that is the reason of the abort', async () => {
  const stop = new AbortController()
  const asked = ledgerAsks(ledger).ask(ask, { ...key, signal: stop.signal })
  const failure = asked.catch((error: unknown) => error)
  await pending()
  stop.abort(no)
  expect(await failure).toMatchObject({ code: 'aborted' })
  expect(await other.asks.answer(key, yes)).toEqual({ won: false, answer: no })
})

it('returns an answer that was stored before the abort', async () => {
  const stop = new AbortController()
  const asked = ledgerAsks(ledger).ask(ask, { ...key, signal: stop.signal })
  await pending()
  // In the same turn, before it can read the answer.
  const given = other.asks.answer(key, yes)
  stop.abort(no)
  expect(await given).toMatchObject({ won: true })
  expect(await asked).toEqual(yes)
})

/** A broker that asks a user at a terminal. */
function terminal() {
  const seen: { reason?: unknown } = {}
  let decide!: (answer: Answer) => void
  const broker: AskBroker = {
    ask: (_, { signal }) =>
      new Promise((resolve, reject) => {
        decide = resolve
        signal.addEventListener('abort', () => {
          seen.reason = signal.reason
          reject(new Error('no longer needed'))
        })
      }),
  }
  return { broker, seen, decide: (answer: Answer) => decide(answer) }
}

it('race: the first answer wins, and the ledger stores it', async () => {
  const { broker, decide } = terminal()
  const asked = raceAsks(broker, ledgerAsks(ledger)).ask(ask, { ...key, signal: never() })
  await pending()
  decide(no)
  expect(await asked).toEqual(no)
  expect(await readAnswer()).toEqual(no)
})

it('race: an answer through the ledger aborts the other broker', async () => {
  const { broker, seen } = terminal()
  const asked = raceAsks(broker, ledgerAsks(ledger)).ask(ask, { ...key, signal: never() })
  await pending()
  await other.asks.answer(key, yes)
  expect(await asked).toEqual(yes)
  expect(seen.reason).toEqual(yes)
})

it('race: the answer in the ledger wins, even if the other one arrives first', async () => {
  const { broker, decide } = terminal()
  const asked = raceAsks(broker, ledgerAsks(ledger)).ask(ask, { ...key, signal: never() })
  await pending()
  const given = other.asks.answer(key, yes)
  decide(no)
  expect(await given).toMatchObject({ won: true })
  expect(await asked).toEqual(yes)
})

it('race: continues if one broker fails, and fails if all do', async () => {
  const broken: AskBroker = { ask: async () => Promise.reject(new Error('no terminal')) }
  const asked = raceAsks(broken, ledgerAsks(ledger)).ask(ask, { ...key, signal: never() })
  await pending()
  await other.asks.answer(key, yes)
  expect(await asked).toEqual(yes)
  await expect(raceAsks(broken, broken).ask(ask, { ...key, signal: never() })).rejects.toThrow('no terminal')
})

it('cancels only its own sessions, each request once', async () => {
  const stop = new AbortController()
  const cancelled: string[] = []
  const following = ledgerCancels(ledger).follow({
    agent: 'gemini',
    has: (session) => session !== 'elsewhere',
    cancel: async (session) => cancelled.push(session) > 0 && session === 'busy',
    signal: stop.signal,
  })
  const commands = [
    cancel('1', 'busy'),
    cancel('2', 'idle'),
    cancel('3', 'elsewhere'),
    cancel('4', 'busy', 'claude'),
    { ...cancel('5', 'busy'), body: { kind: 'end' } as const },
  ]
  for (const command of commands) await ledger.commands.submit(command)
  const states = async () => (await ledger.commands.list()).map(({ state }) => state)
  await expect.poll(states, { timeout: 30_000 }).toEqual(['done', 'refused', 'queued', 'queued', 'queued'])
  stop.abort()
  await following
  expect(cancelled).toEqual(['busy', 'idle'])
})

function cancel(id: string, session: string, agent = 'gemini'): Command {
  return {
    id,
    client: 'phone',
    target: { agent, session },
    body: { kind: 'cancel' },
    state: 'queued',
    at: Date.now(),
  }
}
