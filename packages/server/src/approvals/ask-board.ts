import type { SessionKey } from '@remora/ledger'
import type { Answer, Ask } from '@remora/protocol'
import type { Log } from '../core/log.ts'
import type { ApprovalChange, PendingAsk } from '../core/approvals.ts'

/** The asks that listeners know to be pending. Notifies them once of each new and each settled ask. */
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

  /** All asks by key. */
  entries(): Iterable<[string, PendingAsk]> {
    return this.#asks
  }

  has(key: SessionKey, ask: Ask): boolean {
    return this.#asks.get(getAskKey(key, ask.id))?.ask.digest === ask.digest
  }

  appear({ agent, session, ask }: PendingAsk): void {
    if (this.has({ agent, session }, ask)) return
    this.#asks.set(getAskKey({ agent, session }, ask.id), { agent, session, ask })
    this.emit({ type: 'ask', agent, session, ask })
  }

  disappear({ agent, session }: SessionKey, ask: Ask, answer: Answer): void {
    if (!this.has({ agent, session }, ask)) return
    this.#asks.delete(getAskKey({ agent, session }, ask.id))
    this.emit({ type: 'settled', agent, session, answer })
  }

  emit(change: ApprovalChange): void {
    for (const listener of this.#listeners)
      try {
        listener(change)
      } catch (error) {
        this.#log('error', 'A listener of asks failed', { error: String(error) })
      }
  }
}

/** The key of an ask in a session. */
export function getAskKey({ agent, session }: SessionKey, ask: string): string {
  return JSON.stringify([agent, session, ask])
}
