import type { SessionKey } from '@remora/ledger'
import { type LiveInfo, RemoraError } from '@remora/protocol'
import { newId } from './check-request.ts'
import { findByWord } from './find-by-word.ts'
import type { HeldSession } from './held-session.ts'

/** So long ended sessions stay in the list, so that every surface has seen their end. */
const lingerMs = 60_000

/** The sessions in our hands, and for a while those that were. */
export class HeldSessions implements Iterable<HeldSession> {
  readonly #held = new Map<string, HeldSession>()
  /** Those that have ended, and of which something is still to be settled. */
  readonly #parting = new Map<string, LiveInfo>()
  readonly #ended = new Map<string, LiveInfo>()
  readonly #idLength: number | undefined

  /** Where other machines give ids too, longer ones keep two from being the same. */
  constructor(idLength?: number) {
    this.#idLength = idLength
  }

  [Symbol.iterator](): Iterator<HeldSession> {
    return this.#held.values()
  }

  add(held: HeldSession): void {
    this.#held.set(held.record.id, held)
  }

  /** Nobody finds it any more. */
  remove({ record: { id } }: HeldSession): void {
    this.#held.delete(id)
  }

  /** Nobody finds it any more, and it is shown as it was: who is told of its end finds nothing half done. */
  part(held: HeldSession): void {
    this.#parting.set(held.record.id, held.info())
    this.remove(held)
  }

  /** It is shown as ended for a while. */
  linger(held: HeldSession): void {
    const { id } = held.record
    this.#parting.delete(id)
    this.#ended.set(id, { ...held.info(), state: 'ended' })
    setTimeout(() => this.#ended.delete(id), lingerMs).unref()
  }

  list(): LiveInfo[] {
    const going = Array.from(this.#held.values(), (held) => held.info())
    return [...going, ...this.#parting.values(), ...this.#ended.values()].toSorted(
      (left, right) => left.startedAt - right.startedAt,
    )
  }

  /** By its live id, the agent's own id, or the beginning of one that fits nobody else. */
  find(word: string): LiveInfo | undefined {
    return findByWord(this.list(), word)
  }

  get(id: string): HeldSession | undefined {
    return this.#held.get(id)
  }

  need(id: string): HeldSession {
    const held = this.#held.get(id)
    if (held) return held
    throw new RemoraError('not_found', `There is no live session "${id}"`, { hint: 'See: remora ls' })
  }

  of({ agent, session }: SessionKey): HeldSession | undefined {
    return [...this.#held.values()].find(
      (held) =>
        held.record.agent === agent &&
        (held.record.session === session || held.record.id === session) &&
        held.info().state !== 'ended',
    )
  }

  has(held: HeldSession): boolean {
    return this.#held.get(held.record.id) === held
  }

  hasPane({ socket, pane }: { readonly socket: string; readonly pane: string }): boolean {
    return [...this.#held.values()].some(
      ({ record }) => record.terminal?.socket === socket && record.terminal.pane === pane,
    )
  }

  /** Conversations that others are about. */
  taken(except: { readonly id: string }): ReadonlySet<string> {
    const others = [...this.#held.values()].filter(({ record }) => record.id !== except.id)
    return new Set(others.map(({ record }) => record.session))
  }

  newId(): string {
    const isTaken = (id: string): boolean =>
      [this.#held, this.#parting, this.#ended].some((all) => all.has(id))
    return newId(isTaken, this.#idLength)
  }
}

/** Under which its events and commands are. */
export function keyOf({ record: { agent, session } }: Pick<HeldSession, 'record'>): SessionKey {
  return { agent, session }
}
