import type {
  Channel,
  Cursor,
  Event,
  EventRecord,
  EventType,
  ToolStatus,
  Usage,
} from '@remora/protocol/plain'
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
 * The durable record of everything that agents did. Any process may append; an event that is already stored is not
 * stored again. Everything is read by cursor, so a reader can stop anywhere and continue later.
 */
export interface Ledger {
  /** Identifies this ledger; part of every cursor. */
  readonly epoch: string
  /** The machine that this process writes for, if several share the ledger. Sessions and marks belong to a machine. */
  readonly node?: string | undefined
  /** The month that this ledger is an archive of, if it is one. An archive is read-only. */
  readonly archiveOf?: ArchiveLabel | undefined
  /** The cursor after everything that is stored now. */
  head(): Promise<Cursor>

  /** Stores new events, all or nothing. The marks are set in the same transaction. */
  append(records: readonly EventRecord[], options?: AppendOptions): Promise<Appended>
  read(query?: ReadQuery): Promise<Page>
  /** Yields everything after a cursor, then new events as they are stored, until the signal. */
  tail(query: TailQuery): AsyncIterable<Page>

  /** Resolves when this ledger may have changed, by any process, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>

  sessions(query?: SessionsQuery): Promise<SessionEntry[]>
  session(key: SessionKey): Promise<SessionEntry | undefined>
  /** Sets a user's notes on a session. undefined keeps a value, null removes it. */
  annotate(key: SessionKey, notes: SessionNotes): Promise<boolean>
  /** Marks sessions that their agent has deleted; null unmarks them. */
  archive(keys: readonly SessionKey[], at: number | null): Promise<void>
  /** Deletes every trace of a session and prevents imports from storing it again. */
  forget(key: SessionKey): Promise<boolean>

  usage(query?: UsageQuery): Promise<UsageEntry[]>
  /** Tool calls, oldest first. A call that several channels reported is listed once. */
  calls(query?: CallsQuery): Promise<CallEntry[]>
  /** Counts calls and failed calls. */
  countCalls(query?: CallCountsQuery): Promise<CallCount[]>
  search(query: SearchQuery): Promise<SearchHit[]>
  /** Builds the full-text index for new events, in short steps, until it is up to date. */
  indexText(options?: IndexOptions): Promise<IndexProgress>

  readonly asks: AskStore
  readonly commands: CommandStore
  readonly leases: LeaseStore
  readonly audit: AuditLog
  readonly nodes: NodeStore
  readonly moving: MoveStore
  /** Only for a ledger that stores events by month, so that old months can be archived. */
  readonly months?: MonthStore
  /** What collectors of this machine remember by name, such as how far a file was read. */
  marks(prefix: string): Promise<Map<string, unknown>>

  size(): Promise<LedgerSize>
  /**
   * Copies everything into a new file while other processes write. The copy has its own epoch. Throws if the file
   * exists.
   */
  backup(file: string): Promise<void>
  /** Deletes archived sessions that were last active before a time, except pinned ones, and frees their space. */
  prune(options: { readonly before: number; readonly dryRun?: boolean }): Promise<Pruned>
  close(): Promise<void>
}

/** Options of `append`. */
export interface AppendOptions {
  /** Set in the same transaction as the records; undefined removes a mark. */
  readonly marks?: Readonly<Record<string, unknown>>
  /** The append fails with `conflict` if another process has taken this lease over. */
  readonly lease?: Lease
}

/** The result of `append`. */
export interface Appended {
  /** The number of new events. */
  readonly added: number
  readonly cursor: Cursor
}

/** Selects events. */
export interface ReadQuery {
  readonly after?: Cursor
  readonly session?: SessionKey
  /** Only events of this type. */
  readonly type?: EventType
  readonly limit?: number
  /** Includes the exact text of each record, which is needed to write a session back. */
  readonly records?: boolean
}

/** Selects the events to follow. */
export interface TailQuery extends ReadQuery {
  readonly signal: AbortSignal
}

/** A page of events. */
export interface Page {
  readonly events: readonly StoredEvent[]
  /** The cursor to continue from. */
  readonly cursor: Cursor
  /** The cursor belongs to another ledger or is past the end of this one, so this page starts at the beginning. */
  readonly gap?: true
}

/** An event with its position in the ledger. */
export interface StoredEvent {
  readonly seq: number
  readonly event: Event
  /** The text that `event.raw` was parsed from, if requested. */
  readonly record?: string
}

/** Selects sessions. */
export interface SessionsQuery {
  readonly agent?: string
  /** Only sessions of this machine. */
  readonly node?: string
  /** Only sessions in this folder or below it. */
  readonly cwd?: string
  readonly since?: number
  readonly limit?: number
  /** Only sessions whose id starts with this. */
  readonly idPrefix?: string
  /** Includes hidden sessions. */
  readonly hidden?: boolean
  /** Includes sessions without messages, such as a CLI that was started and closed. */
  readonly empty?: boolean
  /** Only pinned sessions. */
  readonly pinned?: boolean
  /** Only sessions last active at or before this time, to continue a list. */
  readonly until?: number
  /** Includes the last message of each session. */
  readonly last?: boolean
}

/** The summary of a session. Lists are sorted by `updatedAt`, latest first. */
export interface SessionEntry extends SessionKey {
  /** The machine that reported it first, if several share the ledger. */
  readonly node?: string
  readonly title?: string
  readonly firstPrompt?: string
  readonly model?: string
  readonly cwd?: string
  readonly version?: string
  /** The number of prompts and answers, without context, notices and sub-agents. */
  readonly messages: number
  readonly usage: Usage
  readonly startedAt: number
  readonly updatedAt: number
  /** When the deletion by its agent was noticed. */
  readonly archivedAt?: number
  readonly name?: string
  readonly pinned: boolean
  readonly hidden: boolean
  /** The last message, if requested: its beginning on one line, with known secrets masked. */
  readonly last?: { readonly role: 'user' | 'assistant'; readonly text: string; readonly at: number }
}

/** A user's notes on a session. */
export interface SessionNotes {
  readonly name?: string | null
  readonly pinned?: boolean
  readonly hidden?: boolean
}

/** The fields that usage can be grouped by. */
export const usageGroups = ['day', 'agent', 'model', 'project', 'session'] as const
/** A field that usage is grouped by. */
export type UsageGroup = (typeof usageGroups)[number]

/** Selects and groups usage. */
export interface UsageQuery {
  readonly by?: readonly UsageGroup[]
  readonly agent?: string
  readonly cwd?: string
  readonly since?: number
  readonly until?: number
  /** Minutes that local time is ahead of UTC, for grouping by day; 0 by default. */
  readonly utcOffset?: number
}

/**
 * The usage of one group. For each turn the finest scope of the best channel counts. A message that is in two sessions
 * because of a fork is counted only once.
 */
export interface UsageEntry {
  readonly day?: string
  readonly agent?: string
  readonly model?: string
  readonly project?: string
  readonly session?: string
  readonly usage: Usage
  /** The cost as far as agents reported it. */
  readonly costUsd?: number
}

/** Selects calls. */
export interface CallsQuery {
  readonly agent?: string
  readonly session?: SessionKey
  readonly cwd?: string
  readonly since?: number
  readonly until?: number
  /** The tool, by Claude's name or the agent's own. */
  readonly tool?: string
  /** Only calls that failed, were denied, cancelled or timed out; false for all others. */
  readonly failed?: boolean
  /** Only the latest calls, still sorted oldest first. */
  readonly limit?: number
  /** Includes the record that reported the end of the call, or else its start. */
  readonly records?: boolean
}

/**
 * A tool call, merged from all channels that reported it. Insights call it an invocation, and a desire if it failed.
 */
export interface CallEntry extends SessionKey {
  /** Stable and never reused. */
  readonly id: number
  readonly entity: string
  /** The best channel that reported it. */
  readonly channel: Channel
  /** Claude's name for the tool, then the agent's own name and input with long strings cut. */
  readonly tool: string
  readonly native: string
  readonly input: unknown
  readonly cwd?: string
  readonly at: number
  readonly endedAt?: number
  readonly status: ToolStatus | 'running'
  readonly failed: boolean
  /** The output of a failed call as text; the middle is cut out if it is long. */
  readonly error?: string
  /** The number of the prompt that it belongs to, from 1; 0 before the first prompt. */
  readonly turn: number
  /** The parent call of a sub-agent's call. */
  readonly parent?: string
  readonly record?: unknown
}

/** The fields that calls can be grouped by. */
export const callGroups = ['day', 'agent', 'tool', 'project', 'session'] as const
/** A field that calls are grouped by. */
export type CallGroup = (typeof callGroups)[number]

/** Selects and groups the calls to count. */
export interface CallCountsQuery extends Omit<CallsQuery, 'limit' | 'records'> {
  readonly by?: readonly CallGroup[]
  /** Minutes that local time is ahead of UTC, for grouping by day; 0 by default. */
  readonly utcOffset?: number
}

/** The number of calls and failed calls of one group. */
export interface CallCount {
  readonly day?: string
  readonly agent?: string
  readonly tool?: string
  readonly project?: string
  readonly session?: string
  readonly calls: number
  readonly failed: number
}

/** What to search for, and where. */
export interface SearchQuery {
  /**
   * All words must match; "in quotes" is a phrase. The last word also matches as a prefix (from three characters on) if
   * it has too few matches as a whole word.
   */
  readonly text: string
  readonly agent?: string
  readonly cwd?: string
  readonly since?: number
  readonly limit?: number
  /** Includes hidden sessions. */
  readonly hidden?: boolean
}

/** One match. Results are sorted latest first. */
export interface SearchHit extends SessionKey {
  readonly seq: number
  readonly entity: string
  readonly kind: 'prompt' | 'text' | 'thinking' | 'tool_use' | 'tool_result' | 'note'
  readonly at: number
  /** The text around the first match; `matches` holds the positions of all matches in it. */
  readonly snippet: string
  readonly matches: readonly (readonly [start: number, end: number])[]
  readonly title?: string
  readonly cwd?: string
}

/** Options of `indexText`. */
export interface IndexOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: IndexProgress) => void
}

/** How far the full-text index is. */
export interface IndexProgress {
  /** The sequence number up to which text is searchable, and the highest one. */
  readonly done: number
  readonly total: number
}

/** The size of a ledger. */
export interface LedgerSize {
  readonly bytes: number
  readonly events: number
  readonly sessions: number
}

/** What `prune` has deleted. */
export interface Pruned {
  readonly sessions: number
  readonly events: number
  readonly bytes: number
}
