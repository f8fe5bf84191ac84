import type { SessionKey } from '@remora/ledger'
import { type LiveInfo, RemoraError } from '@remora/protocol'
import { newId } from './start-request.ts'
import { findByWord } from './find-by-name.ts'
import type { HeldSession } from './managed-session.ts'
import type { LiveRecord } from './live-record.ts'
import { RestoringSessions } from './restoring-sessions.ts'

/** So long ended sessions stay in the list, so that every surface has seen their end. */
const lingerMs = 60_000

/** The sessions in our hands, and for a while those that were. */
export class HeldSessions implements Iterable<HeldSession> {
  readonly restoring: RestoringSessions
  readonly #held = new Map<string, HeldSession>()
  /** Those that have ended, and of which something is still to be settled. */
  readonly #parting = new Map<string, LiveInfo>()
  readonly #ended = new Map<string, LiveInfo>()
  readonly #idLength: number | undefined

  /** Where other machines give ids too, longer ones keep two from being the same. */
  constructor(idLength?: number, restoreWaitMs?: number) {
    this.#idLength = idLength
    this.restoring = new RestoringSessions(restoreWaitMs)
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
  linger(info: LiveInfo): void {
    const { id } = info
    this.#parting.delete(id)
    this.#ended.set(id, { ...info, state: 'ended' })
    setTimeout(() => this.#ended.delete(id), lingerMs).unref()
  }

  /** A session that could not be restored is listed as ended for a while. */
  dropRestoring(record: LiveRecord, detail: string): LiveInfo {
    const { restoring: _, ...info } = this.restoring.toInfo(record)
    const ended: LiveInfo = { ...info, state: 'ended', detail }
    this.restoring.finish(record.id)
    this.linger(ended)
    return ended
  }

  list(): LiveInfo[] {
    const going = Array.from(this.#held.values(), (held) => held.info())
    const restoring = this.restoring.list().filter(({ id }) => !this.#held.has(id))
    return [...going, ...restoring, ...this.#parting.values(), ...this.#ended.values()].toSorted(
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
    this.restoring.check(id)
    throw new RemoraError('not_found', `No live session "${id}"`, { hint: 'See: remora ls' })
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
    return this.#records().some(({ terminal }) => terminal?.socket === socket && terminal.pane === pane)
  }

  /** Conversations that others are about. */
  taken(except: { readonly id: string }): ReadonlySet<string> {
    const others = this.#records().filter(({ id }) => id !== except.id)
    return new Set(others.map(({ session }) => session))
  }

  #records(): LiveRecord[] {
    return [...this.restoring, ...Array.from(this.#held.values(), ({ record }) => record)]
  }

  newId(): string {
    const isTaken = (id: string): boolean =>
      [this.#held, this.restoring, this.#parting, this.#ended].some((all) => all.has(id))
    return newId(isTaken, this.#idLength)
  }
}

/** Under which its events and commands are. */
export function keyOf({ record: { agent, session } }: Pick<HeldSession, 'record'>): SessionKey {
  return { agent, session }
}
