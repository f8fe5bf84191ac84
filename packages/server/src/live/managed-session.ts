import type { Ledger } from '@remora/ledger'
import type { Command, LiveFrame, LiveInfo } from '@remora/protocol'
import type { DriverName, Terminal } from '@remora/sdk/terminal'
import type { WaitingHooks } from '../approvals/waiting-hooks.ts'
import type { Approvals } from '../core/approvals.ts'
import type { Log } from '../core/log.ts'
import type { Store } from '../core/store.ts'
import type { LiveRecord } from './live-record.ts'

/** A live session that this server manages, over any channel. */
export interface ManagedSession {
  readonly record: LiveRecord
  info(): LiveInfo
  /** Checks for commands; `command` was stored just now. */
  nudge(command?: Command): void
  /** Call when the ledger has changed: title and id may have changed too. */
  stored(): void
  /** Detaches from the agent, which keeps running. */
  release(): Promise<void>
  readonly terminal?: Terminal
  readonly frame?: LiveFrame | undefined
}

/** What a session reports to its manager. */
export interface ManagerCallbacks {
  /** Stores a changed record. */
  keep(record: LiveRecord): Promise<void>
  changed(session: ManagedSession): void
  frame(frame: LiveFrame): void
  /** A command has a new state. */
  moved(command: Command): void
  /** The agent has ended. */
  ended(session: ManagedSession): Promise<void>
  /** Ids of the conversations of other live sessions. */
  taken(except: LiveRecord): ReadonlySet<string>
}

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
  /** The user's choice of what holds new terminals; undefined if there is none. */
  readonly terminalDriver?: (() => Promise<DriverName | undefined>) | undefined
  /** Hooks that wait for a decision, and the command that agents run as their hook. */
  readonly hooks?: WaitingHooks
  readonly hookCommand?: (agent: string, live: string) => Promise<string>
}
