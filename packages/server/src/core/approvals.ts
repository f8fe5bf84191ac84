import type { SessionKey } from '@remora/ledger'
import type { Answer, Ask } from '@remora/protocol'

/** Settles what agents ask, each question once. */
export interface Approvals {
  /** What waits now, as the ledger has it, without those that nobody waits for any more. */
  pending(key?: SessionKey): Promise<PendingAsk[]>
  /**
   * Puts a question that this server can carry the answer of. Policies answer it at once, a timeout denies it in time;
   * else the first answer counts, wherever it comes from. Asking the same again changes nothing.
   */
  open(key: SessionKey, ask: Ask, effect: Effect, options?: OpenOptions): Promise<void>
  /** The agent no longer waits, and nothing is known yet about the outcome: surfaces drop the ask, `settle` follows. */
  leave(key: SessionKey, ask: string): Promise<void>
  /** It ended without an answer of ours: decided at the keyboard, as far as that can be inferred, or withdrawn. */
  settle(key: SessionKey, ask: string, how: SettledHow): Promise<void>
  /** The agent did the opposite of an answer that was delivered: another answer was faster. */
  contradict(key: SessionKey, ask: Ask, answer: Answer): Promise<void>
  /**
   * Compare and set. Throws `conflict` for another digest than the one that was shown, `not_found` where there is no
   * such ask, `usage` for an option that it has not. Resolves when the effect is there, or could not be had.
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

/** Carries an answer to the agent; `gone` when it asks no longer. */
export type Effect = (answer: Answer) => Promise<'done' | 'gone'>

export interface OpenOptions {
  /** Reads the request again before an answer counts: one that is shown differently now gets another digest. */
  readonly refresh?: () => Promise<void>
  /** Another digest is the same request, drawn differently, and not a new one. */
  readonly redrawn?: boolean
}

export type ApprovalChange =
  | ({ readonly type: 'ask'; readonly ask: Ask } & SessionKey)
  | ({
      readonly type: 'settled'
      readonly answer: Answer
      /** Told a second time where the answer counted and could not be carried to the agent. */
      readonly effect?: 'gone'
    } & SessionKey)
