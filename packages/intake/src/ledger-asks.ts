import type { Lease, Ledger, SessionKey } from '@remora/ledger'
import { type Answer, type Ask, type AskBroker, RemoraError } from '@remora/protocol/plain'
import { awaitChange } from './await-change.ts'
import { isDead } from './lease.ts'
import { thisMachine } from './machine.ts'

type AskLedger = Pick<Ledger, 'asks' | 'leases' | 'changed' | 'node'>

/** The ledger tells when there is something new; behind that, and to say that somebody waits, one looks this often. */
const lookMs = 5000
/** One who waits says so for this long, and says it again in time. */
const leaseMs = 30_000

/**
 * Asks through the ledger: the question stands there until any process answers it, for hours if need be. The signal
 * withdraws it; if its reason is the answer that somebody gave elsewhere, that is what the ledger keeps. An answer that
 * another process gave before is not lost to the signal: it is the one that counts, and is returned.
 *
 * @example const connection = await connect('gemini', { sink: ledgerSink(ledger), asks: ledgerAsks(ledger) })
 */
export function ledgerAsks(ledger: AskLedger): AskBroker {
  const presence = new AskPresence(ledger)
  const broker: AskBroker = {
    async ask(ask, { agent, session, signal }) {
      const key = { agent, session }
      // Before the question stands there, so that it is never taken for one that nobody waits for.
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

/** Brokers whose word is the last one, also when it comes after that of another. */
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
    const changed = awaitChange(ledger, lookMs, signal)
    const found = await ledger.asks.find(key, ask.id)
    if (found?.answer && found.ask.digest === ask.digest) return found.answer
    if (!found || found.ask.digest !== ask.digest)
      throw new RemoraError('conflict', `The ask ${ask.id} was taken out of the ledger`)
    await presence.renew(ask.id)
    await changed
  }
}

/** Compare and set: either nobody can answer any more, or somebody has. */
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

/** The answer that ended the waiting, if it was one to this. */
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
        // A store may have taken an answer before it heard of this one, and has told its giver that it counts.
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
  /** How many wait. */
  count: number
  lease?: Lease | undefined
  renewedAt: number
  /** One after the other: who comes while the last one leaves must find the lease free. */
  turn: Promise<void>
}

/**
 * Says, for as long as somebody waits, that somebody does: an ask outlives a process that was killed.
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

  /** To be said again every few seconds; costs nothing if it was just said. */
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
      // Another process writes for long: the answer can be waited for all the same.
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

/** Whether the agent that asked is still there to hear the answer. @example await isWaitedFor(ledger, ask.id) */
export async function isWaitedFor(ledger: Pick<Ledger, 'leases' | 'node'>, id: string): Promise<boolean> {
  const held = await ledger.leases.find(leaseName(id))
  return held !== undefined && !(await isDead(held.heldBy, ledger))
}

/** One for all that a connection asks: an ask's id begins with that of its connection. */
function leaseName(id: string): string {
  return `asks ${id.replace(/\/ask\/.*$/s, '')}`
}
