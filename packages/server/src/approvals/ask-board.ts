import type { SessionKey } from '@remora/ledger'
import type { Answer, Ask } from '@remora/protocol'
import type { Log } from '../core/log.ts'
import type { ApprovalChange, PendingAsk } from '../core/approvals.ts'

/** What listeners know to be waiting. Tells them what appears and what disappears, each once. */
export class AskBoard {
  readonly #log: Log
  readonly #listeners = new Set<(change: ApprovalChange) => void>()
  readonly #asks = new Map<string, PendingAsk>()

  constructor(log: Log) {
    this.#log = log
  }

  on(listener: (change: ApprovalChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** All of them by their names. */
  entries(): Iterable<[string, PendingAsk]> {
    return this.#asks
  }

  has(key: SessionKey, ask: Ask): boolean {
    return this.#asks.get(nameOf(key, ask.id))?.ask.digest === ask.digest
  }

  appear({ agent, session, ask }: PendingAsk): void {
    if (this.has({ agent, session }, ask)) return
    this.#asks.set(nameOf({ agent, session }, ask.id), { agent, session, ask })
    this.emit({ type: 'ask', agent, session, ask })
  }

  disappear({ agent, session }: SessionKey, ask: Ask, answer: Answer): void {
    if (!this.has({ agent, session }, ask)) return
    this.#asks.delete(nameOf({ agent, session }, ask.id))
    this.emit({ type: 'settled', agent, session, answer })
  }

  emit(change: ApprovalChange): void {
    for (const listener of this.#listeners)
      try {
        listener(change)
      } catch (error) {
        this.#log('error', 'Somebody could not be told of an ask', { error: String(error) })
      }
  }
}

/** One name for an ask in a session. */
export function nameOf({ agent, session }: SessionKey, ask: string): string {
  return JSON.stringify([agent, session, ask])
}
