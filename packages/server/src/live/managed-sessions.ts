import type { SessionKey } from '@remora/ledger'
import { type LiveInfo, RemoraError } from '@remora/protocol'
import { type LiveRecord, findByName } from './live-record.ts'
import type { ManagedSession } from './managed-session.ts'
import { RestoringSessions } from './restoring-sessions.ts'
import { createId } from './start-request.ts'

/** How long ended sessions stay in the list, so that every client sees their end. */
const lingerMs = 60_000

/** The sessions that this server manages, and those that ended lately. */
export class ManagedSessions implements Iterable<ManagedSession> {
  readonly restoring: RestoringSessions
  readonly #managed = new Map<string, ManagedSession>()
  /** Sessions that have ended and still have asks or commands to settle. */
  readonly #ending = new Map<string, LiveInfo>()
  readonly #ended = new Map<string, LiveInfo>()
  readonly #idLength: number | undefined

  /** @param idLength Longer where several machines create ids. */
  constructor(idLength?: number, restoreWaitMs?: number) {
    this.#idLength = idLength
    this.restoring = new RestoringSessions(restoreWaitMs)
  }

  [Symbol.iterator](): Iterator<ManagedSession> {
    return this.#managed.values()
  }

  add(managed: ManagedSession): void {
    this.#managed.set(managed.record.id, managed)
  }

  remove({ record: { id } }: ManagedSession): void {
    this.#managed.delete(id)
  }

  /** Removes the session from lookups, but lists it unchanged until everything is settled. */
  beginEnd(managed: ManagedSession): void {
    this.#ending.set(managed.record.id, managed.info())
    this.remove(managed)
  }

  /** Lists the session as ended for a while. */
  listAsEnded(info: LiveInfo): void {
    const { id } = info
    this.#ending.delete(id)
    this.#ended.set(id, { ...info, state: 'ended' })
    setTimeout(() => this.#ended.delete(id), lingerMs).unref()
  }

  /** A session that could not be restored is listed as ended for a while. */
  dropRestoring(record: LiveRecord, known: Pick<LiveInfo, 'detail' | 'title'>): LiveInfo {
    const { restoring: _, ...info } = this.restoring.toInfo(record)
    const ended: LiveInfo = { ...info, ...known, state: 'ended' }
    this.restoring.finish(record.id)
    this.listAsEnded(ended)
    return ended
  }

  list(): LiveInfo[] {
    const going = Array.from(this.#managed.values(), (managed) => managed.info())
    const restoring = this.restoring.list().filter(({ id }) => !this.#managed.has(id))
    return [...going, ...restoring, ...this.#ending.values(), ...this.#ended.values()].toSorted(
      (left, right) => left.startedAt - right.startedAt,
    )
  }

  /** By live id, by the agent's own id, or by a unique prefix of either. */
  find(word: string): LiveInfo | undefined {
    return findByName(this.list(), word)
  }

  get(id: string): ManagedSession | undefined {
    return this.#managed.get(id)
  }

  require(id: string): ManagedSession {
    const managed = this.#managed.get(id)
    if (managed) return managed
    this.restoring.check(id)
    throw new RemoraError('not_found', `No live session "${id}"`, { hint: 'See: remora ls' })
  }

  of({ agent, session }: SessionKey): ManagedSession | undefined {
    return [...this.#managed.values()].find(
      (managed) =>
        managed.record.agent === agent &&
        (managed.record.session === session || managed.record.id === session) &&
        managed.info().state !== 'ended',
    )
  }

  has(managed: ManagedSession): boolean {
    return this.#managed.get(managed.record.id) === managed
  }

  hasPane({ socket, pane }: { readonly socket: string; readonly pane: string }): boolean {
    return this.#records().some(({ terminal }) => terminal?.socket === socket && terminal.pane === pane)
  }

  /** Ids of the conversations of other sessions. */
  taken(except: { readonly id: string }): ReadonlySet<string> {
    const others = this.#records().filter(({ id }) => id !== except.id)
    return new Set(others.map(({ session }) => session))
  }

  #records(): LiveRecord[] {
    return [...this.restoring, ...Array.from(this.#managed.values(), ({ record }) => record)]
  }

  createId(): string {
    const isTaken = (id: string): boolean =>
      [this.#managed, this.restoring, this.#ending, this.#ended].some((all) => all.has(id))
    return createId(isTaken, this.#idLength)
  }
}

/** The key of its events and commands. */
export function getKey({ record: { agent, session } }: Pick<ManagedSession, 'record'>): SessionKey {
  return { agent, session }
}
