import type { Lease, Ledger, SessionKey } from '@remora/ledger'
import { type Answer, type Ask, type AskBroker, RemoraError } from '@remora/protocol/plain'
import type { CancelSource } from '@remora/sdk'
import { awaitChange } from './await-change.ts'
import { isDead, thisMachine } from './lease.ts'

type AskLedger = Pick<Ledger, 'asks' | 'leases' | 'changed' | 'node'>

/** The interval for renewing the presence and polling, in case a change notification is missed. */
const pollMs = 5000
/** The duration of a presence lease, which is renewed in time. */
const leaseMs = 30_000

/**
 * Asks through the ledger: the ask stays open until any process answers it, for hours if necessary. The signal withdraws
 * it; if the signal's reason is an answer given elsewhere, the ledger stores that answer. An answer that another process
 * stored before the signal wins and is returned.
 *
 * @example const connection = await connect('gemini', { sink: ledgerSink(ledger), asks: ledgerAsks(ledger) })
 */
export function ledgerAsks(ledger: AskLedger): AskBroker {
  const presence = new AskPresence(ledger)
  const broker: AskBroker = {
    async ask(ask, { agent, session, signal }) {
      const key = { agent, session }
      // Before the ask is stored, so that it never looks abandoned.
      await presence.begin(ask.id)
      try {
        await ledger.asks.open(key, ask)
        return await settled(ledger, key, ask, presence, signal)
      } finally {
        await presence.end(ask.id)
      }
    },
  }
  stores.add(broker)
  return broker
}

/** Brokers whose answer is final, even if another broker answers first. */
const stores = new WeakSet<AskBroker>()

async function settled(
  ledger: AskLedger,
  key: SessionKey,
  ask: Ask,
  presence: AskPresence,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    if (signal.aborted) return withdraw(ledger, key, ask, signal)
    const changed = awaitChange(ledger, pollMs, signal)
    const found = await ledger.asks.find(key, ask.id)
    if (found?.answer && found.ask.digest === ask.digest) return found.answer
    if (!found || found.ask.digest !== ask.digest)
      throw new RemoraError('conflict', `The ask ${ask.id} was taken out of the ledger`)
    await presence.renew(ask.id)
    await changed
  }
}

/** Compare-and-set: either the ask is withdrawn, or it already has an answer. */
async function withdraw(ledger: AskLedger, key: SessionKey, ask: Ask, signal: AbortSignal): Promise<Answer> {
  const elsewhere = answerIn(signal.reason, ask)
  const { won, answer } = await ledger.asks.answer(
    key,
    elsewhere ?? { ask: ask.id, by: 'cancel', digest: ask.digest },
  )
  if (!won) return answer
  if (elsewhere) throw new RemoraError('aborted', 'The ask was answered elsewhere', { cause: signal.reason })
  throw signal.reason instanceof Error
    ? signal.reason
    : new RemoraError('aborted', 'The ask was withdrawn', { cause: signal.reason })
}

/** The answer in an abort reason, if it belongs to this ask. */
function answerIn(reason: unknown, ask: Ask): Answer | undefined {
  const answer = reason as Partial<Answer> | null | undefined
  return typeof answer === 'object' && answer?.ask === ask.id && answer.digest === ask.digest && answer.by
    ? (answer as Answer)
    : undefined
}

/**
 * Asks several at once, such as the terminal and the ledger. The first answer wins; the others are aborted with it as
 * the reason, so that the ledger keeps it. Rejects when all have failed.
 *
 * @example const asks = raceAsks(terminalAsks(io), ledgerAsks(ledger))
 */
export function raceAsks(...brokers: readonly AskBroker[]): AskBroker {
  const race: AskBroker = {
    async ask(ask, { signal, ...about }) {
      const over = new AbortController()
      const both = AbortSignal.any([signal, over.signal])
      const all = brokers.map((broker) => broker.ask(ask, { ...about, signal: both }))
      try {
        const first = await Promise.any(all)
        over.abort(first)
        // A store may have accepted another answer before the abort, and confirmed it.
        const stored = all.filter((_, index) => stores.has(brokers[index]!))
        return (await Promise.any(stored).catch(() => undefined)) ?? first
      } catch (error) {
        throw error instanceof AggregateError ? error.errors[0] : error
      }
    },
  }
  if (brokers.some((broker) => stores.has(broker))) stores.add(race)
  return race
}

interface Seat {
  readonly name: string
  /** The number of waiting asks. */
  count: number
  lease?: Lease | undefined
  renewedAt: number
  /** Serializes changes, so that a new ask finds the lease released by the last one. */
  turn: Promise<void>
}

/**
 * Leases that show which asks are waited for, because an ask outlives a killed process.
 *
 * @example const presence = new AskPresence(ledger); await presence.begin(ask.id)
 */
export class AskPresence {
  readonly #ledger: Pick<Ledger, 'leases' | 'node'>
  readonly #seats = new Map<string, Seat>()

  constructor(ledger: Pick<Ledger, 'leases' | 'node'>) {
    this.#ledger = ledger
  }

  async begin(id: string): Promise<void> {
    const name = leaseName(id)
    const seat = this.#seats.get(name) ?? { name, count: 0, renewedAt: 0, turn: Promise.resolve() }
    this.#seats.set(name, seat)
    seat.count++
    await this.renew(id)
  }

  /** Renews the lease of an ask. Callers repeat this every few seconds; it does nothing if the lease is fresh. */
  async renew(id: string): Promise<void> {
    const seat = this.#seats.get(leaseName(id))
    if (seat) await inTurn(seat, () => this.#take(seat))
  }

  async end(id: string): Promise<void> {
    const seat = this.#seats.get(leaseName(id))
    if (!seat) return
    seat.count--
    await inTurn(seat, () => this.#leave(seat))
  }

  async #take(seat: Seat): Promise<void> {
    if (seat.count === 0 || Date.now() - seat.renewedAt < leaseMs / 3) return
    seat.renewedAt = Date.now()
    try {
      if (seat.lease && (await this.#ledger.leases.renew(seat.lease, leaseMs))) return
      const holder = { what: 'an agent that asks', pid: process.pid, host: thisMachine(this.#ledger) }
      const taken = await this.#ledger.leases.take(seat.name, holder, leaseMs)
      seat.lease = 'heldBy' in taken ? undefined : taken
    } catch {
      // Another process locks the ledger for long. Waiting for the answer does not depend on the lease.
    }
  }

  async #leave(seat: Seat): Promise<void> {
    if (seat.count > 0) return
    const { lease } = seat
    seat.lease = undefined
    seat.renewedAt = 0
    if (lease) await this.#ledger.leases.release(lease).catch(() => {})
    if (seat.count === 0 && this.#seats.get(seat.name) === seat) this.#seats.delete(seat.name)
  }
}

function inTurn(seat: Seat, work: () => Promise<void>): Promise<void> {
  seat.turn = seat.turn.then(work)
  return seat.turn
}

/** Whether the agent still waits for the answer. @example await isWaitedFor(ledger, ask.id) */
export async function isWaitedFor(ledger: Pick<Ledger, 'leases' | 'node'>, id: string): Promise<boolean> {
  const held = await ledger.leases.find(leaseName(id))
  return held !== undefined && !(await isDead(held.heldBy, ledger))
}

/** All asks of a connection share a lease: an ask's id begins with the connection's id. */
function leaseName(id: string): string {
  return `asks ${id.replace(/\/ask\/.*$/s, '')}`
}

/**
 * Requests of any process to cancel a turn, read from the ledger. The process that runs the session performs each once
 * and records the result in the command's state.
 *
 * @example await relay({ agent: gemini, input, output, cancels: ledgerCancels(ledger) })
 */
export function ledgerCancels(ledger: Pick<Ledger, 'commands' | 'changed'>): CancelSource {
  return {
    async follow({ agent, has, cancel, signal }) {
      while (!signal.aborted) {
        const changed = awaitChange(ledger, pollMs, signal)
        for (const command of await ledger.commands.list({ state: 'queued' })) {
          const { target, body } = command
          if (body.kind !== 'cancel' || target.agent !== agent || !has(target.session)) continue
          if (!(await ledger.commands.move(command, 'queued', 'sent'))) continue
          if (await cancel(target.session)) await ledger.commands.move(command, 'sent', 'done')
          else await ledger.commands.move(command, 'sent', 'refused', 'No turn is running')
        }
        await changed
      }
    },
  }
}
