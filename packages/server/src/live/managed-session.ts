import type { Command, LiveFrame, LiveInfo } from '@remora/protocol'
import type { Terminal } from '@remora/sdk/terminal'
import type { LiveRecord } from './live-record.ts'

/** A live session in our hands, whichever way we hold it. */
export interface ManagedSession {
  readonly record: LiveRecord
  info(): LiveInfo
  /** There may be commands for it; this one was stored just now. */
  nudge(command?: Command): void
  /** Something was stored: its title or its id may be known better now. */
  stored(): void
  /** Lets go of it; the agent goes on. */
  release(): Promise<void>
  readonly terminal?: Terminal
  readonly frame?: LiveFrame | undefined
}

/** What a held session tells its manager. */
export interface ManagerCallbacks {
  /** Its record has changed and must be kept. */
  keep(record: LiveRecord): Promise<void>
  changed(session: ManagedSession): void
  frame(frame: LiveFrame): void
  /** A command has another state. */
  moved(command: Command): void
  /** The agent is gone. */
  ended(session: ManagedSession): Promise<void>
  /** Conversations that other live sessions are about. */
  taken(except: LiveRecord): ReadonlySet<string>
}
