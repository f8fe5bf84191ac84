import type { Event } from '@remora/protocol/plain'
import { getCountedMessage, getRank } from '@remora/ledger/internal'
import type { Connection } from './connection.ts'
import { hashKey } from './hash.ts'
import type { OpenSession } from './lock-sessions.ts'

/** Cache limits: sessions, and messages per session, since only the latest are repeated. */
const maxSessions = 5000
const maxMessages = 100

/** A session as this process left it, and its latest messages. */
interface KnownSession {
  readonly session: OpenSession
  readonly messages: Set<string>
}

/**
 * Caches sessions that this process has written to. Other processes may change them, so the database verifies the cache
 * by the session's revision and by unique messages. It is cleared when a connection is lost: another server may take
 * over, with other revisions.
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

  /** Returns a copy that may be changed. */
  open(key: string): OpenSession {
    const { session } = this.#sessions.get(key)!
    return { ...session, counts: [...session.counts] }
  }

  /** Whether a message is known to be stored. */
  hasMessage(key: string, message: string): boolean {
    return this.#sessions.get(key)?.messages.has(message) === true
  }

  /** Call it after the commit. */
  keep(key: string, session: OpenSession, messages: Iterable<string>): void {
    const known = this.#sessions.get(key)?.messages ?? new Set()
    for (const message of messages) {
      // Moves it to the end.
      known.delete(message)
      known.add(message)
    }
    for (const message of known) {
      if (known.size <= maxMessages) break
      known.delete(message)
    }
    const revision = session.revision + (session.changed ? 1 : 0)
    this.#sessions.delete(key)
    this.#sessions.set(key, {
      session: { ...session, revision, changed: false, usageChanged: false },
      messages: known,
    })
    for (const first of this.#sessions.keys()) {
      if (this.#sessions.size <= maxSessions) break
      this.#sessions.delete(first)
    }
  }

  forget(key: string): void {
    this.#sessions.delete(key)
  }
}

/** The id of the counted message that an event belongs to, within its session. */
export function getMessageId(event: Event): string | undefined {
  const message = getCountedMessage(event)
  if (message === undefined) return undefined
  return `${getRank(event)} ${message.length > 200 ? hashKey(message) : message}`
}
