import type { Event } from '@remora/protocol/plain'
import { getCountedMessage, getRank } from '@remora/ledger/engine'
import type { Connection } from './connection.ts'
import { hashKey } from './hash.ts'
import type { OpenSession } from './lock-sessions.ts'

/** So many sessions are kept in mind, and so many messages of each: only the last ones are told again. */
const mostSessions = 5000
const mostMessages = 100

/** A session as this process left it, and the messages that it told last. */
interface KnownSession {
  readonly session: OpenSession
  readonly messages: Set<string>
}

/**
 * Sessions that this process has written to. Others may write to them too, so this is a guess, and the database looks
 * whether it is right: by the revision of a session, and since no message can be counted twice. It is given up when a
 * connection was lost: another server may stand in, with other revisions.
 */
export class SessionCache {
  readonly #connection: Connection
  readonly #sessions = new Map<string, KnownSession>()
  #losses = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  has(key: string): boolean {
    if (this.#losses !== this.#connection.losses) this.#sessions.clear()
    this.#losses = this.#connection.losses
    return this.#sessions.has(key)
  }

  /** A copy of one that is known, to be written in. */
  open(key: string): OpenSession {
    const { session } = this.#sessions.get(key)!
    return { ...session, counts: [...session.counts] }
  }

  /** Whether a message was told before, as far as is known. */
  hasMessage(key: string, message: string): boolean {
    return this.#sessions.get(key)?.messages.has(message) === true
  }

  /** To be called once it is stored for good. */
  keep(key: string, session: OpenSession, messages: Iterable<string>): void {
    const known = this.#sessions.get(key)?.messages ?? new Set()
    for (const message of messages) {
      // As the last one again.
      known.delete(message)
      known.add(message)
    }
    for (const message of known) {
      if (known.size <= mostMessages) break
      known.delete(message)
    }
    const revision = session.revision + (session.changed ? 1 : 0)
    this.#sessions.delete(key)
    this.#sessions.set(key, {
      session: { ...session, revision, changed: false, spent: false },
      messages: known,
    })
    for (const first of this.#sessions.keys()) {
      if (this.#sessions.size <= mostSessions) break
      this.#sessions.delete(first)
    }
  }

  forget(key: string): void {
    this.#sessions.delete(key)
  }
}

/** The name of the message that an event tells of, within its session; undefined if it tells of none that counts. */
export function getMessageId(event: Event): string | undefined {
  const message = getCountedMessage(event)
  if (message === undefined) return undefined
  return `${getRank(event)} ${message.length > 200 ? hashKey(message) : message}`
}
