import type { Channel, Cursor, Event, EventRecord, ToolStatus, Usage } from '@remora/protocol/plain'
import type {
  ArchiveLabel,
  AskStore,
  AuditLog,
  CommandStore,
  Lease,
  LeaseStore,
  MonthStore,
  MoveStore,
  NodeStore,
  SessionKey,
} from './stores.ts'

export type * from './stores.ts'

/**
 * One durable record of everything the agents did. Any process may append; what is stored already is not stored again.
 * Everything is read by cursor, so that a reader may stop anywhere and go on later.
 */
export interface Ledger {
  /** Which ledger this is; part of every cursor. */
  readonly epoch: string
  /** The machine that this process writes for, where several share a ledger. Its sessions and marks are its own. */
  readonly node?: string | undefined
  /** Of which month it is an archive, if it is one: it can be read, and nothing is added to it. */
  readonly archiveOf?: ArchiveLabel | undefined
  /** The place behind everything that is stored now. */
  head(): Promise<Cursor>

  /** Stores what is new, all of it or nothing. The marks are set in the same transaction. */
  append(records: readonly EventRecord[], options?: AppendOptions): Promise<Appended>
  read(query?: ReadQuery): Promise<Page>
  /** Everything after a cursor, and then what comes, until the signal. */
  tail(query: TailQuery): AsyncIterable<Page>

  /** Settles when anything in this ledger may have changed, by whichever process, or the signal says so. */
  changed(signal: AbortSignal): Promise<void>

  sessions(query?: SessionsQuery): Promise<SessionEntry[]>
  session(key: SessionKey): Promise<SessionEntry | undefined>
  /** Sets what a person said of a session; undefined leaves it as it is, null takes it away. */
  annotate(key: SessionKey, notes: SessionNotes): Promise<boolean>
  /** Marks sessions that the agent itself has deleted, or has again. */
  archive(keys: readonly SessionKey[], at: number | null): Promise<void>
  /** Deletes every trace of a session, and keeps an import from bringing it back. */
  forget(key: SessionKey): Promise<boolean>

  usage(query?: UsageQuery): Promise<UsageEntry[]>
  /** Tool calls, each once however many channels told of it, the oldest first. */
  calls(query?: CallsQuery): Promise<CallEntry[]>
  /** How many of them there are, and how many failed. */
  countCalls(query?: CallCountsQuery): Promise<CallCount[]>
  search(query: SearchQuery): Promise<SearchHit[]>
  /** Builds full text for what has none yet, in short steps. Ends when there is nothing left. */
  indexText(options?: IndexOptions): Promise<IndexProgress>

  readonly asks: AskStore
  readonly commands: CommandStore
  readonly leases: LeaseStore
  readonly audit: AuditLog
  readonly nodes: NodeStore
  readonly moving: MoveStore
  /** Where events are kept by month, so that old months can go elsewhere; a ledger in one file has no such thing. */
  readonly months?: MonthStore
  /** What collectors of this machine remember, by name: how far a file was read, for one. */
  marks(prefix: string): Promise<Map<string, unknown>>

  size(): Promise<LedgerSize>
  /** A whole copy in a new file, while others go on writing. It has an epoch of its own; a file that exists is refused. */
  backup(file: string): Promise<void>
  /** Deletes archived sessions that were last active before a time, but for pinned ones, and gives the space back. */
  prune(options: { readonly before: number; readonly dryRun?: boolean }): Promise<Pruned>
  close(): Promise<void>
}

export interface AppendOptions {
  /** Set together with the records, or not at all; undefined takes a mark away. */
  readonly marks?: Readonly<Record<string, unknown>>
  /** The append is refused (`conflict`) if this lease is no longer ours. */
  readonly lease?: Lease
}

export interface Appended {
  /** How many events were new. */
  readonly added: number
  readonly cursor: Cursor
}

export interface ReadQuery {
  readonly after?: Cursor
  readonly session?: SessionKey
  readonly limit?: number
  /** The text of the records too, exactly as the agent wrote them, as one needs it to write a session back. */
  readonly records?: boolean
}

export interface TailQuery extends ReadQuery {
  readonly signal: AbortSignal
}

export interface Page {
  readonly events: readonly StoredEvent[]
  /** Where to go on. */
  readonly cursor: Cursor
  /** The cursor was of another ledger, or lies beyond this one: this page begins at its beginning instead. */
  readonly gap?: true
}

export interface StoredEvent {
  readonly seq: number
  readonly event: Event
  /** The text of which `event.raw` was read, if it was asked for. */
  readonly record?: string
}

export interface SessionsQuery {
  readonly agent?: string
  /** Only those of this machine. */
  readonly node?: string
  /** Only sessions that worked in this folder or below it. */
  readonly cwd?: string
  readonly since?: number
  readonly limit?: number
  /** Ids that begin with this. */
  readonly idPrefix?: string
  /** Hidden sessions too. */
  readonly hidden?: boolean
  /** Those too in which nobody said anything: a CLI that was started and left. */
  readonly empty?: boolean
  /** Only those that a person has pinned. */
  readonly pinned?: boolean
  /** Only those that were last active before this time, to go on with a list; or at it. */
  readonly until?: number
  /** Tells of each what was said last. */
  readonly last?: boolean
}

/** One session at a glance, the latest first. */
export interface SessionEntry extends SessionKey {
  /** The machine that told of it first, where several share the ledger. */
  readonly node?: string
  readonly title?: string
  readonly firstPrompt?: string
  readonly model?: string
  readonly cwd?: string
  readonly version?: string
  /** Prompts and answers, without context, notices and sub-agents. */
  readonly messages: number
  readonly usage: Usage
  readonly startedAt: number
  readonly updatedAt: number
  /** When it was seen that the agent has deleted it. */
  readonly archivedAt?: number
  readonly name?: string
  readonly pinned: boolean
  readonly hidden: boolean
  /** What was said last, where it was asked for: its beginning on one line, with secrets of known shape masked. */
  readonly last?: { readonly role: 'user' | 'assistant'; readonly text: string; readonly at: number }
}

export interface SessionNotes {
  readonly name?: string | null
  readonly pinned?: boolean
  readonly hidden?: boolean
}

export const usageGroups = ['day', 'agent', 'model', 'project', 'session'] as const
export type UsageGroup = (typeof usageGroups)[number]

export interface UsageQuery {
  readonly by?: readonly UsageGroup[]
  readonly agent?: string
  readonly cwd?: string
  readonly since?: number
  readonly until?: number
  /** Minutes that local time is ahead of UTC, for days; 0 by default. */
  readonly utcOffset?: number
}

/**
 * What one group cost. Of each turn the finest scope counts, as the best channel tells it; a message that two sessions
 * hold, as a fork does, was paid for once.
 */
export interface UsageEntry {
  readonly day?: string
  readonly agent?: string
  readonly model?: string
  readonly project?: string
  readonly session?: string
  readonly usage: Usage
  /** As far as the agents told it themselves. */
  readonly costUsd?: number
}

export interface CallsQuery {
  readonly agent?: string
  readonly session?: SessionKey
  readonly cwd?: string
  readonly since?: number
  readonly until?: number
  /** The tool, by Claude's name or by the agent's own. */
  readonly tool?: string
  /** Only calls that failed, were refused, cancelled or took too long; or only those that did not. */
  readonly failed?: boolean
  /** Only the latest so many; still the oldest first. */
  readonly limit?: number
  /** The record too that told how the call ended, or else the one that told of it. */
  readonly records?: boolean
}

/** A tool call as all channels together tell it: what is called an invocation, and a desire if it failed. */
export interface CallEntry extends SessionKey {
  /** Stays the same, and no other call ever has it. */
  readonly id: number
  readonly entity: string
  /** The channel that told it best. */
  readonly channel: Channel
  /** Claude's name for the tool, and the agent's own name and input; long strings in it are cut. */
  readonly tool: string
  readonly native: string
  readonly input: unknown
  readonly cwd?: string
  readonly at: number
  readonly endedAt?: number
  readonly status: ToolStatus | 'running'
  readonly failed: boolean
  /** What a failed call gave back, as text: its beginning, and its end if it is long. */
  readonly error?: string
  /** Which prompt of the session it served, from 1; 0 before the first. */
  readonly turn: number
  /** The call under which a sub-agent made it. */
  readonly parent?: string
  readonly record?: unknown
}

export const callGroups = ['day', 'agent', 'tool', 'project', 'session'] as const
export type CallGroup = (typeof callGroups)[number]

export interface CallCountsQuery extends Omit<CallsQuery, 'limit' | 'records'> {
  readonly by?: readonly CallGroup[]
  /** Minutes that local time is ahead of UTC, for days; 0 by default. */
  readonly utcOffset?: number
}

export interface CallCount {
  readonly day?: string
  readonly agent?: string
  readonly tool?: string
  readonly project?: string
  readonly session?: string
  readonly calls: number
  readonly failed: number
}

export interface SearchQuery {
  /**
   * Words that must all be there; "in quotes" is a phrase. The last word may be the beginning of one (of three signs or
   * more), unless it is found often enough by itself.
   */
  readonly text: string
  readonly agent?: string
  readonly cwd?: string
  readonly since?: number
  readonly limit?: number
  /** Hidden sessions too. */
  readonly hidden?: boolean
}

/** One place where the words stand, the latest first. */
export interface SearchHit extends SessionKey {
  readonly seq: number
  readonly entity: string
  readonly kind: 'prompt' | 'text' | 'thinking' | 'tool_use' | 'tool_result' | 'note'
  readonly at: number
  /** The words around the first match; `matches` says where in it they stand. */
  readonly snippet: string
  readonly matches: readonly (readonly [start: number, end: number])[]
  readonly title?: string
  readonly cwd?: string
}

export interface IndexOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: IndexProgress) => void
}

export interface IndexProgress {
  /** The sequence number up to which text is searchable, and the highest there is. */
  readonly done: number
  readonly total: number
}

export interface LedgerSize {
  readonly bytes: number
  readonly events: number
  readonly sessions: number
}

export interface Pruned {
  readonly sessions: number
  readonly events: number
  readonly bytes: number
}
