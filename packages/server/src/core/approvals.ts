import type { SessionKey } from '@remora/ledger'
import type { Answer, Ask } from '@remora/protocol'

/** Settles the asks of agents, each once. */
export interface Approvals {
  /** Lists open asks of the ledger, without abandoned ones. */
  pending(key?: SessionKey): Promise<PendingAsk[]>
  /**
   * Opens an ask whose answer this server can deliver. Policies answer it at once and a timeout denies it; otherwise the
   * first answer wins. Opening the same ask again has no effect.
   */
  open(key: SessionKey, ask: Ask, effect: Effect, options?: OpenOptions): Promise<void>
  /** Removes an ask from surfaces while its outcome is unknown; `settle` follows. */
  leave(key: SessionKey, ask: string): Promise<void>
  /** Records that an ask ended without an answer from Remora: it was decided at the keyboard or withdrawn. */
  settle(key: SessionKey, ask: string, how: SettledHow): Promise<void>
  /** Records that the agent did the opposite of a delivered answer, because another answer was faster. */
  contradict(key: SessionKey, ask: Ask, answer: Answer): Promise<void>
  /**
   * Compare-and-set. Throws `conflict` for an outdated digest, `not_found` for an unknown ask and `usage` for an unknown
   * option. Resolves when the answer was delivered, or could not be.
   */
  answer(
    key: SessionKey,
    answer: Answer,
  ): Promise<{ readonly won: boolean; readonly answer: Answer; readonly effect?: 'done' | 'gone' }>
  on(listener: (change: ApprovalChange) => void): () => void
}

export type SettledHow = Pick<Answer, 'by' | 'option' | 'text' | 'inferred'>

export interface PendingAsk extends SessionKey {
  readonly ask: Ask
}

/** Delivers an answer to the agent; `gone` if the ask no longer exists. */
export type Effect = (answer: Answer) => Promise<'done' | 'gone'>

export interface OpenOptions {
  /** Reads the request again before an answer wins: a changed request gets a new digest. */
  readonly refresh?: () => Promise<void>
  /** Whether a new digest is the same request, drawn differently. */
  readonly redrawn?: boolean
}

export type ApprovalChange =
  | ({ readonly type: 'ask'; readonly ask: Ask } & SessionKey)
  | ({
      readonly type: 'settled'
      readonly answer: Answer
      /** Sent a second time with `gone` if the winning answer could not be delivered. */
      readonly effect?: 'gone'
    } & SessionKey)
