import type { Ledger } from '@remora/ledger'
import type { Approvals } from './approvals.ts'
import type { Live } from './live.ts'
import type { Log } from './log.ts'
import type { Store } from './store.ts'

/** The parts of the server that other parts use. */
export interface Context {
  readonly ledger: Ledger
  /** The folder of all state: REMORA_HOME. */
  readonly remoraHome: string
  /** The user's environment, in which agents are started. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly version: string
  readonly store: Store
  readonly live: Live
  readonly approvals: Approvals
  readonly hooks?: HookRequests
  readonly log: Log
  /** Aborts when the server stops. */
  readonly signal: AbortSignal
}

/** Hooks of agents that wait for a decision. */
export interface HookRequests {
  /** Resolves with the output of the hook; an empty object leaves the decision to the dialog on the screen. */
  wait(request: {
    readonly live: string
    readonly payload: Readonly<Record<string, unknown>>
    readonly signal: AbortSignal
  }): Promise<object>
  /** The number of waiting hooks of a session. */
  waiting(live: string): number
}
