import type { Ledger } from '@remora/ledger'
import type { Approvals } from './approvals/approvals.ts'
import type { WaitingHooks } from './approvals/waiting-hooks.ts'
import type { Live } from './live/live.ts'
import type { Log } from './log.ts'
import type { Store } from './store.ts'

/** What every part of the server knows of the others. */
export interface Context {
  readonly ledger: Ledger
  /** The folder of all state: REMORA_HOME. */
  readonly remoraHome: string
  /** The user's own surroundings, which agents are started in. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly version: string
  readonly store: Store
  readonly live: Live
  readonly approvals: Approvals
  /** Where hooks of agents wait for a decision. */
  readonly hooks?: WaitingHooks
  readonly log: Log
  /** Aborts when the server ends. */
  readonly signal: AbortSignal
}
