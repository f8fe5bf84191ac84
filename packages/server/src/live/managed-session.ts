import type { Command, LiveFrame, LiveInfo } from '@remora/protocol'
import type { Terminal } from '@remora/sdk/terminal'
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
