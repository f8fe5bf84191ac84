import type {
  Answer,
  Ask,
  Channel,
  Command,
  CommandState,
  Cursor,
  Event,
  EventRecord,
  ToolStatus,
  Usage,
} from '@remora/protocol/plain'

/** Which conversation: ids are the agent's own and mean something only together with it. */
export interface SessionKey {
  readonly agent: string
  readonly session: string
}

/**
 * One durable record of everything the agents did. Any process may append; what is stored already is not stored again.
 * Everything is read by cursor, so that a reader may stop anywhere and go on later.
 */
export interface Ledger {
  /** Which ledger this is; part of every cursor. */
  readonly epoch: string
  /** The place behind everything that is stored now. */
  head(): Promise<Cursor>

  /** Stores what is new, all of it or nothing. The marks are set in the same transaction. */
  append(records: readonly EventRecord[], options?: AppendOptions): Promise<Appended>
  read(query?: ReadQuery): Promise<Page>
  /** Everything after a cursor, and then what comes, until the signal. */
  tail(query: TailQuery): AsyncIterable<Page>

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
  /** What collectors remember, by name: how far a file was read, for one. */
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
}

/** One session at a glance, the latest first. */
export interface SessionEntry extends SessionKey {
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

/** Asks that wait for a decision. The first answer wins, wherever it comes from. */
export interface AskStore {
  open(key: SessionKey, ask: Ask): Promise<void>
  /** False, with the answer that won, if it was answered already; refused (`conflict`) if the digest is another. */
  answer(key: SessionKey, answer: Answer): Promise<{ readonly won: boolean; readonly answer: Answer }>
  pending(key?: SessionKey): Promise<(SessionKey & { readonly ask: Ask })[]>
  find(key: SessionKey, id: string): Promise<{ readonly ask: Ask; readonly answer?: Answer } | undefined>
}

/** Wishes of surfaces, each done once. */
export interface CommandStore {
  /** Stores a command; the same id of the same client again changes nothing and tells its present state. */
  submit(command: Command): Promise<Command>
  /** Compare and set: undefined if the command is no longer in state `from`. */
  move(
    id: Pick<Command, 'id' | 'client'>,
    from: CommandState,
    to: CommandState,
    reason?: string,
  ): Promise<Command | undefined>
  list(query?: { readonly session?: SessionKey; readonly state?: CommandState }): Promise<Command[]>
}

/** A name that one process at a time holds. */
export interface LeaseStore {
  /** The lease, or who holds it. Taken over when the holder has not renewed it in time. */
  take(name: string, holder: LeaseHolder, forMs: number): Promise<Lease | HeldLease>
  /** False if it was lost. */
  renew(lease: Lease, forMs: number): Promise<boolean>
  release(lease: Lease): Promise<void>
}

/** Whose lease it is. One who knows that the holder is dead may release it for him. */
export interface HeldLease {
  readonly heldBy: LeaseHolder
  readonly lease: Lease
}

/** Who holds a lease, in words that help a person to find it. */
export interface LeaseHolder {
  readonly what: string
  readonly pid?: number
  readonly host?: string
}

export interface Lease {
  readonly name: string
  /** Grows with every taking, so that one who lost it and does not know is refused. */
  readonly term: number
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
