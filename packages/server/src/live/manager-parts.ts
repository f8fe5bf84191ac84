import type { Ledger } from '@remora/ledger'
import type { Approvals } from '../core/approvals.ts'
import type { WaitingHooks } from '../approvals/waiting-hooks.ts'
import type { Log } from '../core/log.ts'
import type { Store } from '../core/store.ts'

/** The parts of the server that live sessions use. */
export interface ManagerParts {
  readonly ledger: Ledger
  readonly store: Store
  readonly approvals: Approvals
  readonly log: Log
  readonly remoraHome: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** How long after the start requests wait for sessions that are being restored. */
  readonly restoreWaitMs?: number | undefined
  /** Hooks that wait for a decision, and the command that agents run as their hook. */
  readonly hooks?: WaitingHooks
  readonly hookCommand?: (live: string) => Promise<string>
}
